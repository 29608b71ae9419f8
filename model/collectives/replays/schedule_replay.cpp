// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/schedule_replay.h"

#include "base/work/stop.h"
#include "model/collectives/collective_group.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::model {
namespace {

/// Bits that hold 0 to `count` - 1.
int bits_for(int count)
{
    int bits = 0;
    while ((std::int64_t{1} << bits) < count) {
        ++bits;
    }
    return bits;
}

int devices_per_chip_of(const CollectiveSchedule& schedule)
{
    const NetworkAxis& first = schedule.axes.front();
    return first.torus_axis == NetworkAxis::on_chip ? first.length : 1;
}

/// By value, and so without a branch.
std::int64_t lesser(std::int64_t a, std::int64_t b)
{
    return a < b ? a : b;
}

} // namespace

Places places_of(const CollectiveSchedule& schedule)
{
    std::vector<bool> used(schedule.axes.size(), false);
    bool one_way = false; // from an origin, or up
    bool rooted = false;
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            used[static_cast<std::size_t>(phase.axis)] = true;
            rooted = rooted || has_origin(phase.exchange);
            one_way = one_way || rooted || phase.exchange == Exchange::shift;
        }
    }
    std::vector<bool> alike;
    std::vector<bool> mirrored;
    for (std::size_t axis = 0; axis < schedule.axes.size(); ++axis) {
        const NetworkAxis& along = schedule.axes[axis];
        alike.push_back(is_torus(along) && (!used[axis] || (along.wraps && !rooted)));
        mirrored.push_back(is_torus(along) && !alike.back() && !along.wraps && !one_way &&
                           along.length % 2 == 0);
    }
    return {schedule.axes, alike, mirrored};
}

Places all_places_of(const CollectiveSchedule& schedule)
{
    return {schedule.axes, std::vector<bool>(schedule.axes.size(), false)};
}

ScheduleReplay::ScheduleReplay(const CollectiveSchedule& schedule, Places places)
    : places_(std::move(places)),
      planned_(schedule),
      in_chunks_(schedule.colours_are_chunks()),
      devices_per_chip_(devices_per_chip_of(schedule)),
      ahead_(end_of_time)
{
    for (const NetworkAxis& axis : schedule.axes) {
        const bool on_chip = axis.torus_axis == NetworkAxis::on_chip;
        along_.push_back({on_chip, axis.bytes_per_second, axis.latency,
                          sending_time(axis.packet.count(), axis.bytes_per_second),
                          axis.packet.count()});
        ahead_ = on_chip ? ahead_ : std::min(ahead_, axis.latency);
    }
    ahead_ = std::max(ahead_, Picoseconds(1));
    device_bits_ = bits_for(devices_per_chip_);
    if (device_bits_ + bits_for(planned_.slots()) > 31) {
        throw std::logic_error("a schedule of too many colours, phases and devices of a chip");
    }
    first_axis_ = along_.front().on_chip ? 1 : 0;
    sources_ = (links + static_cast<std::size_t>(links_per_chip()) + 3) / 4 * 4; // seen by fours
    next_.resize(static_cast<std::size_t>(chips()) * sources_);
    by_paths_.resize(static_cast<std::size_t>(chips()));
    by_links_.resize(static_cast<std::size_t>(chips()));
    entries_.resize(static_cast<std::size_t>(chips()));
    for (int chip = 0; chip < chips(); ++chip) {
        set_links(chip);
    }
}

void ScheduleReplay::set_links(int chip)
{
    const int place = chip * devices_per_chip_;
    for (int axis = first_axis_; axis < static_cast<int>(along_.size()); ++axis) {
        for (const int way : {up, down}) {
            const int number = (axis - first_axis_) * 2 + way;
            Link link;
            link.asked = row(chip) + links + static_cast<std::size_t>(number);
            link.axis = axis;
            link.to = places_.neighbour(axis, place, way) / devices_per_chip_;
            link.turns_back = places_.crosses_the_middle(axis, place, way) ? 1U << device_bits_ : 0;
            links_.push_back(std::move(link));
        }
    }
}

Picoseconds ScheduleReplay::finish()
{
    return finish(
        std::vector<Picoseconds>(static_cast<std::size_t>(places_.count()), Picoseconds(0)));
}

Picoseconds ScheduleReplay::finish(const std::vector<Picoseconds>& ready)
{
    start(ready);
    StopLook stop;
    for (;;) {
        const Picoseconds next = *std::min_element(soonest_.begin(), soonest_.end());
        if (next == end_of_time && !begin_second_part()) {
            return last_;
        }
        if (next == end_of_time) {
            continue;
        }
        const Picoseconds until = chips() == 1 ? end_of_time : next + ahead_;
        for (int chip = 0; chip < chips(); ++chip) {
            if (soonest_[static_cast<std::size_t>(chip)] < until) {
                stop();
                play(chip, until);
            }
        }
    }
}

void ScheduleReplay::start(const std::vector<Picoseconds>& ready)
{
    const auto count = static_cast<std::size_t>(places_.count());
    for (Link& link : links_) {
        link.wire_end = Picoseconds(-1);
    }
    std::fill(next_.begin(), next_.end(), end_of_time);
    path_free_.assign(2 * count, Picoseconds(0));
    left_.assign(count, planned_.colours);
    done_.assign(count, Picoseconds(0));
    last_ = Picoseconds(0);
    progress_.start(planned_, places_, places_.count());
    in_second_part_ = false;
    soonest_.assign(static_cast<std::size_t>(chips()), end_of_time);
    if (!planned_.plans.empty()) {
        let_enter(ready);
    }
}

/// All of the first is done, if there is a second: everybody begins it at once.
bool ScheduleReplay::begin_second_part()
{
    if (in_second_part_ || !planned_.has_second_part()) {
        return false;
    }
    in_second_part_ = true;
    let_enter(std::vector<Picoseconds>(static_cast<std::size_t>(places_.count()), last_));
    return true;
}

void ScheduleReplay::let_enter(const std::vector<Picoseconds>& ready)
{
    for (int chip = 0; chip < chips(); ++chip) {
        Inbox& entering = entries_[static_cast<std::size_t>(chip)];
        for (int device = 0; device < devices_per_chip_; ++device) {
            const auto place = static_cast<std::size_t>(chip * devices_per_chip_ + device);
            entering.add(ready[place], static_cast<std::uint32_t>(device));
        }
        soonest_[static_cast<std::size_t>(chip)] = entering.next();
        next_[row(chip) + entries] = entering.next();
    }
}

/// All that happens on a chip before `until`.
void ScheduleReplay::play(int chip, Picoseconds until)
{
    Inbox& inbox = by_links_[static_cast<std::size_t>(chip)];
    for (;;) {
        first_ = first_but_links(chip);
        while (inbox.next() < std::min(first_, until)) {
            receive(chip, inbox, inbox.next(), false);
        }
        if (first_ >= until) {
            soonest_[static_cast<std::size_t>(chip)] = std::min(first_, inbox.next());
            return;
        }
        handle(chip, first_);
    }
}

/// When a chip has something to do but for what comes by links.
Picoseconds ScheduleReplay::first_but_links(int chip) const
{
    const Picoseconds* const next = next_.data() + row(chip);
    std::int64_t first = end_of_time.count();
    for (const Picoseconds* four = next; four != next + sources_; four += 4) {
        const std::int64_t a = lesser(four[0].count(), four[1].count());
        const std::int64_t b = lesser(four[2].count(), four[3].count());
        first = lesser(first, lesser(a, b));
    }
    return Picoseconds(first);
}

/// The first thing that a chip has to do `now`, but for what comes by links.
void ScheduleReplay::handle(int chip, Picoseconds now)
{
    const Picoseconds* const next = next_.data() + row(chip);
    const auto source = static_cast<std::size_t>(std::find(next, next + sources_, now) - next);
    if (source == entries) {
        enter(chip, now);
    } else if (source == paths) {
        Inbox& inbox = by_paths_[static_cast<std::size_t>(chip)];
        receive(chip, inbox, now, true);
        next_[row(chip) + paths] = inbox.next();
    } else if (source < sources_) { // else a link that was to be asked now has more to send
        const auto first = static_cast<std::size_t>(chip * links_per_chip());
        sent(links_[first + source - links], now);
    }
}

void ScheduleReplay::enter(int chip, Picoseconds now)
{
    Inbox& entering = entries_[static_cast<std::size_t>(chip)];
    const int place = chip * devices_per_chip_ + static_cast<int>(entering.event());
    entering.take();
    next_[row(chip) + entries] = entering.next();
    complete(place,
             in_second_part_ ? progress_.enter_second_part(place, sender(chip, now, true))
                             : progress_.enter(place, sender(chip, now, true)),
             now);
}

void ScheduleReplay::receive(int chip, Inbox& inbox, Picoseconds now, bool before_links)
{
    const std::uint32_t event = inbox.event();
    inbox.take();
    last_ = std::max(last_, now);
    const auto device = static_cast<int>(event & ((1U << device_bits_) - 1));
    const int place = chip * devices_per_chip_ + device;
    const int slot = static_cast<int>(event >> device_bits_);
    if (progress_.receive(place, slot, sender(chip, now, before_links))) {
        complete(place, 1, now);
    }
}

/// So many colours of what `place` has to do.
void ScheduleReplay::complete(int place, int colours, Picoseconds now)
{
    const auto which = static_cast<std::size_t>(place);
    left_[which] -= colours;
    if (left_[which] == 0) {
        done_[which] = now;
    }
}

void ScheduleReplay::send(const ProgressMessage& message, int chip, Picoseconds now,
                          bool before_links)
{
    if (message.axis < first_axis_) {
        send_on_chip(message, chip, now);
    } else {
        const int link = chip * links_per_chip() + (message.axis - first_axis_) * 2 + message.way;
        send_on_link(links_[static_cast<std::size_t>(link)], message,
                     message.from - chip * devices_per_chip_, now, before_links);
    }
}

void ScheduleReplay::send_on_chip(const ProgressMessage& message, int chip, Picoseconds now)
{
    Along& path = along(message.axis);
    const std::int64_t bytes = message.bytes.count();
    const std::int64_t full = full_packets(bytes, path.packet);
    Picoseconds& free = path_free_[static_cast<std::size_t>(message.from * 2 + message.way)];
    free =
        std::max(free, now) + path.packet_time * full + time_of(path, bytes - full * path.packet);
    Inbox& inbox = by_paths_[static_cast<std::size_t>(chip)];
    const int device = message.to - chip * devices_per_chip_;
    inbox.add(free + path.latency,
              static_cast<std::uint32_t>(message.slot << device_bits_ | device));
    wait_for(row(chip) + paths, inbox.next());
}

std::vector<std::array<AxisLoad, 2>> ScheduleReplay::loads(int chip) const
{
    std::vector<std::array<AxisLoad, 2>> result(along_.size());
    for (const PlannedPhase& phase : planned_.plans) {
        const auto axis = static_cast<std::size_t>(phase.plan.axis);
        const Along& along = along_[axis];
        for (int device = 0; device < devices_per_chip_; ++device) {
            const int place = chip * devices_per_chip_ + device;
            if (!takes_part(phase.plan, places_, place)) {
                continue;
            }
            for (const int way : {up, down}) {
                AxisLoad& load = result[axis][static_cast<std::size_t>(way)];
                const PlannedPhase::Place& here =
                    phase.place(places_.position(phase.plan.axis, place), way);
                for (int step = here.first_step; step < here.first_step + here.sends; ++step) {
                    const Bytes bytes = phase.plan.bytes[static_cast<std::size_t>(step - 1)];
                    const std::int64_t full = full_packets(bytes.count(), along.packet);
                    ++load.messages;
                    load.packets += full + 1;
                    load.bytes += bytes;
                    load.busy +=
                        along.packet_time * full +
                        sending_time(bytes.count() - full * along.packet, along.bytes_per_second);
                }
            }
        }
    }
    return result;
}

} // namespace alxsim::model
