// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/schedule_replay.h"

#include "model/collectives/collective_group.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace alxsim::model {
namespace {

constexpr Picoseconds end_of_time{std::numeric_limits<std::int64_t>::max()};

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

std::int64_t full_packets(std::int64_t bytes, std::int64_t packet)
{
    return bytes <= packet ? 0 : (bytes - 1) / packet;
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
    phase_bits_ = bits_for(planned_.phases);
    if (device_bits_ + phase_bits_ + bits_for(planned_.colours) > 31) {
        throw std::logic_error("a schedule of too many colours, phases and devices of a chip");
    }
    set_sources();
}

void ScheduleReplay::set_sources()
{
    first_axis_ = along_.front().on_chip ? 1 : 0;
    sources_.links = sources_.paths + (first_axis_ > 0 ? 2 * devices_per_chip_ : 0);
    sources_.arrivals = sources_.links + links_per_chip();
    sources_.count = (sources_.arrivals + links_per_chip() + 3) / 4 * 4; // looked at by fours
    const auto all = static_cast<std::size_t>(chips()) * static_cast<std::size_t>(sources_.count);
    next_.resize(all);
    arrivals_.resize(all);
    for (int chip = 0; chip < chips(); ++chip) {
        for (int axis = first_axis_; axis < static_cast<int>(along_.size()); ++axis) {
            for (const int way : {up, down}) {
                set_link(chip, axis, way);
            }
        }
    }
}

void ScheduleReplay::set_link(int chip, int axis, int way)
{
    const int place = chip * devices_per_chip_;
    const int number = (axis - first_axis_) * 2;
    Link link;
    link.axis = axis;
    link.way = places_.crosses_the_middle(axis, place, way) ? opposite(way) : way;
    link.to = places_.neighbour(axis, place, way);
    link.asked = static_cast<std::size_t>(chip * sources_.count + sources_.links + number + way);
    link.arrivals = static_cast<std::size_t>(link.to / devices_per_chip_ * sources_.count +
                                             sources_.arrivals + number + link.way);
    links_.push_back(std::move(link));
}

Picoseconds ScheduleReplay::finish()
{
    return finish(
        std::vector<Picoseconds>(static_cast<std::size_t>(places_.count()), Picoseconds(0)));
}

Picoseconds ScheduleReplay::finish(const std::vector<Picoseconds>& ready)
{
    start(ready);
    for (;;) {
        const Picoseconds next = *std::min_element(soonest_.begin(), soonest_.end());
        if (next == end_of_time) {
            return last_;
        }
        const Picoseconds until = chips() == 1 ? end_of_time : next + ahead_;
        for (int chip = 0; chip < chips(); ++chip) {
            if (soonest_[static_cast<std::size_t>(chip)] < until) {
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
    paths_.assign(2 * count, Picoseconds(0));
    left_.assign(count, planned_.colours);
    done_.assign(count, Picoseconds(0));
    last_ = Picoseconds(0);
    progress_.start(planned_, places_, places_.count());
    entries_.assign(static_cast<std::size_t>(chips()), {});
    soonest_.assign(static_cast<std::size_t>(chips()), end_of_time);
    if (planned_.phases == 0) {
        return;
    }
    for (std::size_t place = 0; place < count; ++place) {
        entries_[place / static_cast<std::size_t>(devices_per_chip_)].push_back(
            {ready[place], place});
    }
    for (std::size_t chip = 0; chip < entries_.size(); ++chip) {
        std::vector<Arrival>& entries = entries_[chip];
        std::sort(entries.begin(), entries.end(), [](const Arrival& a, const Arrival& b) {
            return a.time != b.time ? a.time > b.time : a.event > b.event;
        });
        soonest_[chip] = entries.back().time;
        next_[chip * static_cast<std::size_t>(sources_.count)] = soonest_[chip];
    }
}

/// All that happens on a chip before `until`.
void ScheduleReplay::play(int chip, Picoseconds until)
{
    const auto which = static_cast<std::size_t>(chip);
    const Picoseconds* const next = next_.data() + which * static_cast<std::size_t>(sources_.count);
    const Picoseconds* const end = next + sources_.count;
    for (;;) {
        std::int64_t first = end_of_time.count();
        for (const Picoseconds* four = next; four != end; four += 4) {
            const std::int64_t a = lesser(four[0].count(), four[1].count());
            const std::int64_t b = lesser(four[2].count(), four[3].count());
            first = lesser(first, lesser(a, b));
        }
        const Picoseconds time(first);
        if (time >= until) {
            soonest_[which] = time;
            return;
        }
        const auto source = static_cast<int>(std::find(next, end, time) - next);
        if (source >= sources_.arrivals) {
            receive(chip, first_of_moment(chip, source, sources_.count), time, false);
        } else if (source >= sources_.links) {
            sent(static_cast<std::size_t>(chip * links_per_chip() + source - sources_.links), time);
        } else if (source >= sources_.paths) {
            receive(chip, first_of_moment(chip, source, sources_.links), time, true);
        } else {
            enter(chip, time);
        }
    }
}

/// What comes at one moment comes in the order of events.
std::size_t ScheduleReplay::first_of_moment(int chip, int source, int end) const
{
    const auto base = static_cast<std::size_t>(chip * sources_.count);
    std::size_t first = base + static_cast<std::size_t>(source);
    for (std::size_t other = first + 1; other < base + static_cast<std::size_t>(end); ++other) {
        if (next_[other] == next_[first] && event(other) < event(first)) {
            first = other;
        }
    }
    return first;
}

void ScheduleReplay::enter(int chip, Picoseconds now)
{
    std::vector<Arrival>& entries = entries_[static_cast<std::size_t>(chip)];
    const int place = static_cast<int>(entries.back().event);
    entries.pop_back();
    next_[static_cast<std::size_t>(chip * sources_.count)] =
        entries.empty() ? end_of_time : entries.back().time;
    complete(place, progress_.enter(place, sender(chip, now, true)), now);
}

void ScheduleReplay::receive(int chip, std::size_t source, Picoseconds now, bool before_links)
{
    Arrivals& arrivals = arrivals_[source];
    const CollectiveEvent event = CollectiveEvent::of(arrivals.front().event);
    arrivals.pop();
    next_[source] = arrivals.count == 0 ? end_of_time : arrivals.front().time;
    last_ = std::max(last_, now);
    if (progress_.receive(event, sender(chip, now, before_links))) {
        complete(event.subject, 1, now);
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
    const int device = message.from - chip * devices_per_chip_;
    if (message.axis < first_axis_) {
        send_on_chip(message, chip, device, now);
    } else {
        const int link = chip * links_per_chip() + (message.axis - first_axis_) * 2 + message.way;
        send_on_link(static_cast<std::size_t>(link), message, device, now, before_links);
    }
}

void ScheduleReplay::send_on_chip(const ProgressMessage& message, int chip, int device,
                                  Picoseconds now)
{
    Along& path = along(message.axis);
    const std::int64_t bytes = message.bytes.count();
    const std::int64_t full = full_packets(bytes, path.packet);
    Picoseconds& free = paths_[static_cast<std::size_t>(message.from * 2 + message.way)];
    free =
        std::max(free, now) + path.packet_time * full + time_of(path, bytes - full * path.packet);
    add_arrival(
        static_cast<std::size_t>(chip * sources_.count + sources_.paths + device * 2 + message.way),
        {free + path.latency, message.arrival().packed()});
}

void ScheduleReplay::send_on_link(std::size_t number, const ProgressMessage& message, int device,
                                  Picoseconds now, bool before_links)
{
    Link& link = links_[number];
    const Along& axis = along(link.axis);
    const int colour = in_chunks_ ? 0 : message.colour;
    const auto stream = static_cast<std::uint64_t>(colour * devices_per_chip_ + device);
    const std::int32_t arriving =
        (message.colour << phase_bits_ | message.phase) << device_bits_ | device;
    const std::int64_t bytes = message.bytes.count();
    if (link.train.under_way()) {
        // The link was asked for the packet of this moment before.
        link.train.settle(link.turns, pool_, now + Picoseconds(1), axis.packet_time, axis.packet);
        link.turns.add(pool_, stream, arriving, bytes, axis.packet, false);
        if (!link.train.ends()) {
            run(link);
        }
    } else if (now < link.wire_end || (now == link.wire_end && before_links) ||
               !link.turns.empty()) {
        link.turns.add(pool_, stream, arriving, bytes, axis.packet, false);
        next_[link.asked] = link.wire_end;
    } else if (bytes <= axis.packet) {
        link.turns.pass(stream);
        link.wire_end = now + message.serialization;
        arrive(link, arriving, link.wire_end);
    } else {
        link.turns.add(pool_, stream, arriving, bytes, axis.packet, false);
        link.train.start = now;
        run(link);
    }
}

/// What was on the wire has been sent.
void ScheduleReplay::sent(std::size_t number, Picoseconds now)
{
    Link& link = links_[number];
    next_[link.asked] = end_of_time;
    if (link.train.under_way()) {
        const std::int64_t packet = along(link.axis).packet;
        arrive(link, link.train.finish(link.turns, pool_, packet).message, now);
    }
    if (!link.turns.empty()) {
        begin(link, now);
    }
}

/// Sends what has its turn: a message's last packet is sure to be sent.
void ScheduleReplay::begin(Link& link, Picoseconds now)
{
    Along& axis = along(link.axis);
    if (!link.turns.head_is_last()) {
        link.train.start = now;
        run(link);
        return;
    }
    const std::int32_t message = link.turns.head();
    link.wire_end = now + time_of(axis, link.turns.head_bytes(axis.packet));
    link.turns.take_last(pool_);
    arrive(link, message, link.wire_end);
    if (!link.turns.empty()) {
        next_[link.asked] = link.wire_end;
    }
}

/// Foretells the first message that is complete, if nothing is added.
void ScheduleReplay::run(Link& link)
{
    Along& axis = along(link.axis);
    const PacketTurns::Run next = link.turns.run();
    link.train.end =
        link.train.start + axis.packet_time * next.full + time_of(axis, next.last_bytes);
    next_[link.asked] = link.train.end;
}

void ScheduleReplay::arrive(const Link& link, std::int32_t message, Picoseconds sent)
{
    const auto low = [](int bits) { return (1 << bits) - 1; };
    const CollectiveEvent event{CollectiveEvent::What::message,
                                message >> (phase_bits_ + device_bits_),
                                message >> device_bits_ & low(phase_bits_), link.way,
                                link.to + (message & low(device_bits_))};
    add_arrival(link.arrivals, {sent + along(link.axis).latency, event.packed()});
}

void ScheduleReplay::add_arrival(std::size_t source, const Arrival& arrival)
{
    Arrivals& arrivals = arrivals_[source];
    if (arrivals.count == 0) {
        next_[source] = arrival.time;
        Picoseconds& soonest = soonest_[source / static_cast<std::size_t>(sources_.count)];
        soonest = std::min(soonest, arrival.time);
    }
    arrivals.push(arrival);
}

void ScheduleReplay::Arrivals::push(const Arrival& arrival)
{
    if (count == items.size()) { // in turn from the first one on, in twice the room
        std::rotate(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first), items.end());
        first = 0;
        items.resize(std::max<std::size_t>(4, 2 * items.size()));
    }
    items[(first + count++) & (items.size() - 1)] = arrival;
}

Picoseconds ScheduleReplay::time_of(Along& along, std::int64_t bytes)
{
    if (along.known_bytes != bytes) {
        along.known_bytes = bytes;
        along.known_time = sending_time(bytes, along.bytes_per_second);
    }
    return along.known_time;
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
