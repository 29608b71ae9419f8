// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/line_replay.h"

#include "base/work/stop.h"
#include "model/collectives/collective_progress.h"
#include "model/collectives/moments.h"
#include "model/collectives/replays/box_tiles.h"
#include "model/collectives/replays/packet_carrier.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace alxsim::model {
namespace {

using topologies::Axis;

bool has_no_origins(const CollectiveSchedule& schedule)
{
    return std::all_of(schedule.colours.begin(), schedule.colours.end(), [](const Colour& colour) {
        return std::all_of(colour.phases.begin(), colour.phases.end(), [](const AxisPhase& phase) {
            return !has_origin(phase.exchange) && phase.members == 0 && phase.only_at.empty();
        });
    });
}

/// Every phase as a colour of its own.
CollectiveSchedule phase_by_phase(const CollectiveSchedule& schedule)
{
    CollectiveSchedule apart;
    apart.axes = schedule.axes;
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            apart.colours.push_back({{phase}});
        }
    }
    return apart;
}

/// Without axes on which nothing goes.
RoutedNetwork network_of_lines(const CollectiveSchedule& schedule)
{
    RoutedNetwork network = *schedule.ranks->network;
    std::vector<Axis> axes = network.slice.axes();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool used = std::any_of(schedule.group.begin(), schedule.group.end(), [&](int axis) {
            const NetworkAxis& along = schedule.axes[static_cast<std::size_t>(axis)];
            return along.torus_axis == static_cast<int>(i);
        });
        axes[i].length = used ? axes[i].length : 1;
    }
    network.slice = topologies::Slice(std::move(axes), network.slice.cores_per_chip(), false);
    return network;
}

/// The first block of a line of each axis. A member is a device of a chip on one of them; those of
/// the chip in which they meet are several.
class Lines {
public:
    Lines(const std::vector<NetworkAxis>& axes, const RoutedNetwork& network)
        : per_chip_(network.devices_per_chip)
    {
        for (int axis = 0; axis + 1 < static_cast<int>(axes.size()); ++axis) { // the last: groups
            const NetworkAxis& along = axes[static_cast<std::size_t>(axis)];
            const bool on_chip = along.torus_axis == NetworkAxis::on_chip; // no phase goes there
            first_.push_back(static_cast<int>(devices_.size()));
            lengths_.push_back(on_chip ? 0 : places_of_block(along));
            hops_.push_back(along.hops);
            for (int place = 0; place < lengths_.back(); ++place) {
                const int chip = place * network.slice.stride(along.torus_axis);
                for (int local = 0; local < per_chip_; ++local) {
                    devices_.push_back(chip * per_chip_ + local);
                }
            }
        }
    }

    int axes() const { return static_cast<int>(first_.size()); }
    int count() const { return static_cast<int>(devices_.size()); }
    int per_chip() const { return per_chip_; }
    /// In chips.
    int length(int axis) const { return lengths_[static_cast<std::size_t>(axis)]; }
    int member(int axis, int place, int local) const
    {
        return first_[static_cast<std::size_t>(axis)] + place * per_chip_ + local;
    }
    int place(int axis, int member) const
    {
        return (member - this->member(axis, 0, 0)) / per_chip_;
    }
    /// Which of its chip's devices it is.
    int local(int member) const { return member % per_chip_; }
    int device(int member) const { return devices_[static_cast<std::size_t>(member)]; }

    int position(int axis, int member) const { return place(axis, member) / hops(axis); }
    int neighbour(int axis, int member, int way) const
    {
        const int all = length(axis);
        const int step = way == up ? hops(axis) : all - hops(axis);
        return this->member(axis, (place(axis, member) + step) % all, local(member));
    }

private:
    int hops(int axis) const { return hops_[static_cast<std::size_t>(axis)]; }

    int per_chip_;             ///< devices
    std::vector<int> first_;   ///< [axis]: its first member
    std::vector<int> lengths_; ///< [axis]: its chips
    std::vector<int> hops_;    ///< [axis]: to the next of a group
    std::vector<int> devices_; ///< [member]
};

constexpr Picoseconds unknown{-1};

/// Phases of a colour follow each other on lines of several axes. A device is as late for the next
/// one as it is by its chip's place on each of them; the line on which all are earliest is played.
/// The devices of a chip go through phases of their own, and take turns on its links.
class LineReplay {
    auto sender(Picoseconds now)
    {
        return [this, now](const ProgressMessage& message) {
            const int colour = phase_at(message.colour, 0).colour;
            carrier_.send(lines_.device(message.from), lines_.device(message.to), message.bytes,
                          static_cast<std::uint64_t>(colour), message.arrival().packed(), now);
        };
    }

public:
    explicit LineReplay(const CollectiveSchedule& schedule)
        : first_part_(schedule.colours_of_first_part()),
          network_(network_of_lines(schedule)),
          lines_(schedule.axes, network_),
          planned_(phase_by_phase(schedule)),
          carrier_(network_, planned_.longest_message(),
                   [this](std::uint64_t event, Picoseconds now) {
                       receive(CollectiveEvent::of(event), now);
                   })
    {
        for (const Colour& colour : schedule.colours) {
            first_phase_.push_back(phase_count());
            for (const AxisPhase& phase : colour.phases) {
                Phase of_device;
                of_device.colour = static_cast<int>(first_phase_.size()) - 1;
                of_device.axis = phase.axis;
                phases_.insert(phases_.end(), static_cast<std::size_t>(lines_.per_chip()),
                               of_device);
            }
            delays_.emplace_back(static_cast<std::size_t>(lines_.count()), Picoseconds(0));
        }
        first_phase_.push_back(phase_count());
        progress_.start(planned_, lines_, lines_.count());
    }

    LineTime finish()
    {
        const auto colours = static_cast<int>(delays_.size());
        const Picoseconds first_part = play(0, first_part_, Picoseconds(0));
        const Picoseconds all = play(first_part_, colours, first_part);
        return {all, apart(), carrier_.packet_hops()};
    }

private:
    /// A phase of those at one place on their chips.
    struct Phase {
        int colour = 0;
        int axis = 0;
        Picoseconds begun = unknown;      ///< by the earliest of its line
        Picoseconds first_done = unknown; ///< somewhere
        std::vector<Picoseconds> late;    ///< [place]: after the first done
    };
    /// A device on a line begins a phase.
    struct Entry {
        int phase = 0;
        int member = 0;
    };

    Phase& phase_at(int phase, int local)
    {
        return phases_[static_cast<std::size_t>(phase * lines_.per_chip() + local)];
    }
    int phase_count() const { return static_cast<int>(phases_.size()) / lines_.per_chip(); }
    int end_of(int colour) const { return first_phase_[static_cast<std::size_t>(colour) + 1]; }
    Picoseconds& delay(int colour, int member)
    {
        return delays_[static_cast<std::size_t>(colour)][static_cast<std::size_t>(member)];
    }

    /// When colours from `first` to before `end` are done that begin at `start`.
    Picoseconds play(int first, int end, Picoseconds start)
    {
        const auto begins = [&](int colour) {
            return first_phase_[static_cast<std::size_t>(colour)] < end_of(colour);
        };
        for (int local = 0; local < lines_.per_chip(); ++local) {
            for (int colour = first; colour < end; ++colour) {
                if (begins(colour)) {
                    begin(first_phase_[static_cast<std::size_t>(colour)], local, start);
                }
            }
        }
        run();
        Picoseconds last = start;
        for (int local = 0; local < lines_.per_chip(); ++local) {
            for (int colour = first; colour < end; ++colour) {
                if (begins(colour)) {
                    last = std::max(last, phase_at(end_of(colour) - 1, local).first_done +
                                              latest(colour, local));
                }
            }
        }
        return last;
    }

    /// By how much the latest chip is later than the first.
    Picoseconds latest(int colour, int local)
    {
        Picoseconds sum(0);
        for (int axis = 0; axis < lines_.axes(); ++axis) {
            Picoseconds most(0);
            for (int place = 0; place < lines_.length(axis); ++place) {
                most = std::max(most, delay(colour, lines_.member(axis, place, local)));
            }
            sum += most;
        }
        return sum;
    }

    void run()
    {
        StopLook stop;
        while (!entries_.empty() || carrier_.waits()) {
            stop();
            if (!entries_.empty() && (!carrier_.waits() || entries_.next() <= carrier_.next())) {
                const Picoseconds now = entries_.next();
                std::vector<Entry> moment = entries_.take();
                for (const Entry& entry : moment) {
                    enter(entry.phase, entry.member, now);
                }
                entries_.reuse(std::move(moment));
            } else {
                carrier_.step();
            }
        }
    }

    void begin(int number, int local, Picoseconds now)
    {
        Phase& phase = phase_at(number, local);
        phase.begun = now;
        for (int place = 0; place < lines_.length(phase.axis); ++place) {
            enter_when_due(number, lines_.member(phase.axis, place, local), now);
        }
    }

    /// By how much phases that may meet on a line are later after each other, or earlier, on
    /// others.
    Picoseconds apart() const
    {
        Picoseconds most(0);
        for (std::size_t one = 0; one < phases_.size(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                if (phases_[one].axis == phases_[other].axis && ends_after(one, other) &&
                    ends_after(other, one)) {
                    most = std::max(most, apart(one, other));
                }
            }
        }
        return most;
    }

    /// Whether one phase may last until the other begins, on whichever lines.
    bool ends_after(std::size_t one, std::size_t other) const
    {
        const Phase& phase = phases_[one];
        Picoseconds end =
            phase.first_done + *std::max_element(phase.late.begin(), phase.late.end());
        for (int axis = 0; axis < lines_.axes(); ++axis) {
            Picoseconds most(0);
            for (int place = 0; axis != phase.axis && place < lines_.length(axis); ++place) {
                most = std::max(most, late_for(one, axis, place));
            }
            end += most;
        }
        return end > phases_[other].begun;
    }

    Picoseconds apart(std::size_t one, std::size_t other) const
    {
        Picoseconds most(0);
        for (int axis = 0; axis < lines_.axes(); ++axis) {
            for (int place = 0; axis != phases_[one].axis && place < lines_.length(axis); ++place) {
                const Picoseconds more = late_for(one, axis, place) - late_for(other, axis, place);
                most = std::max({most, more, Picoseconds(0) - more});
            }
        }
        return most;
    }

    /// How late a chip is for a phase by its place on an axis.
    Picoseconds late_for(std::size_t number, int axis, int place) const
    {
        const auto per_chip = static_cast<std::size_t>(lines_.per_chip());
        for (std::size_t before = number; before >= per_chip;) {
            before -= per_chip; // of the same devices
            const Phase& phase = phases_[before];
            if (phase.colour != phases_[number].colour) {
                break;
            }
            if (phase.axis == axis) {
                return phase.late[static_cast<std::size_t>(place)];
            }
        }
        return Picoseconds(0);
    }

    /// Not yet if the colour is still busy there with the last phase along the same axis.
    void enter_when_due(int number, int member, Picoseconds now)
    {
        const Phase& phase = phase_at(number, lines_.local(member));
        const Picoseconds late = delay(phase.colour, member);
        if (late == unknown) {
            return;
        }
        if (phase.begun + late == now) { // together with what else is sent in this moment
            enter(number, member, now);
        } else {
            entries_.post(phase.begun + late, {number, member});
        }
    }

    void enter(int number, int member, Picoseconds now)
    {
        delay(phase_at(number, 0).colour, member) = unknown;
        if (progress_.enter_colour(member, number, sender(now))) {
            leave(number, member, now);
        }
    }

    void receive(const CollectiveEvent& arrival, Picoseconds now)
    {
        if (progress_.receive(arrival, sender(now))) {
            leave(arrival.colour, arrival.subject, now);
        }
    }

    void leave(int number, int member, Picoseconds now)
    {
        const int local = lines_.local(member);
        Phase& phase = phase_at(number, local);
        const bool is_first = phase.first_done == unknown;
        phase.first_done = is_first ? now : phase.first_done;
        const auto place = static_cast<std::size_t>(lines_.place(phase.axis, member));
        phase.late.resize(static_cast<std::size_t>(lines_.length(phase.axis)));
        phase.late[place] = delay(phase.colour, member) = now - phase.first_done;
        const int next = number + 1;
        if (next == end_of(phase.colour)) {
            return;
        }
        Phase& following = phase_at(next, local);
        if (following.axis == phase.axis) { // each goes on by itself
            following.begun = is_first ? now : following.begun;
            enter(next, member, now);
            return;
        }
        if (is_first) {
            begin(next, local, now);
            return;
        }
        for (int later = next + 1; later < end_of(phase.colour); ++later) {
            if (phase_at(later, local).axis == phase.axis) {
                if (phase_at(later, local).begun != unknown) {
                    enter_when_due(later, member, now);
                }
                return;
            }
        }
    }

    int first_part_; ///< colours
    RoutedNetwork network_;
    Lines lines_;
    PlannedCollective planned_;                    ///< a colour for every phase
    std::vector<Phase> phases_;                    ///< [phase][device of a chip]
    std::vector<int> first_phase_;                 ///< [colour]; at the end, how many there are
    std::vector<std::vector<Picoseconds>> delays_; ///< [colour][member]: by its place on the axis
    Moments<Entry> entries_;
    CollectiveProgress<Lines> progress_;
    PacketCarrier carrier_;
};

} // namespace

bool goes_along_lines(const CollectiveSchedule& schedule)
{
    return are_tiles(schedule) && has_no_origins(schedule) &&
           std::none_of(schedule.group.begin(), schedule.group.end(), [&schedule](int axis) {
               return schedule.axes[static_cast<std::size_t>(axis)].torus_axis ==
                      NetworkAxis::on_chip;
           });
}

LineTime line_schedule_time(const CollectiveSchedule& schedule)
{
    return LineReplay(schedule).finish();
}

} // namespace alxsim::model
