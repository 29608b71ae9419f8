// SPDX-License-Identifier: Apache-2.0
#include "sim/network.h"

#include "model/phase_plan.h"
#include "sim/kernel_time.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::sim {

using model::down;
using model::PhasePlan;
using model::up;

struct Network::Prepared {
    std::vector<std::vector<PhasePlan>> colours;
};

/// One collective under way.
struct Network::Instance {
    struct Direction {
        std::int32_t sent = 0;
        std::int32_t received = 0;
    };
    struct Member {
        int colours_done = 0;
        std::function<void(const CollectiveDone&)> done;
    };

    std::int64_t number = 0;
    const Prepared* schedule = nullptr;
    std::size_t phases = 0;
    std::vector<Member> members;
    std::vector<std::int32_t> phase_of; ///< [colour][device]; -1 before it has entered
    std::vector<std::array<Direction, 2>> directions; ///< [colour][phase][device]
    CollectiveDone arrivals;
    int last_device = -1;
    int entered = 0;
    int finished = 0;

    void reset(std::int64_t new_number, const Prepared& new_schedule, int devices)
    {
        number = new_number;
        schedule = &new_schedule;
        phases = new_schedule.colours.front().size();
        members.assign(static_cast<std::size_t>(devices), {});
        phase_of.assign(new_schedule.colours.size() * static_cast<std::size_t>(devices), -1);
        directions.assign(new_schedule.colours.size() * phases * static_cast<std::size_t>(devices),
                          {});
        arrivals = {};
        last_device = -1;
        entered = 0;
        finished = 0;
    }

    std::int32_t& phase(int colour, int device)
    {
        return phase_of[static_cast<std::size_t>(colour) * members.size() +
                        static_cast<std::size_t>(device)];
    }
    Direction& direction(int colour, int phase_index, int device, int which)
    {
        const std::size_t row =
            static_cast<std::size_t>(colour) * phases + static_cast<std::size_t>(phase_index);
        return directions[row * members.size() + static_cast<std::size_t>(device)]
                         [static_cast<std::size_t>(which)];
    }
};

Network::Network(const sc_core::sc_module_name& name, const topologies::Machine& machine)
    : sc_core::sc_module(name),
      devices_(machine.devices),
      axes_(model::network_axes(machine)),
      devices_per_chip_(machine.devices_per_chip),
      entered_(static_cast<std::size_t>(machine.devices))
{
    const int chips = machine.slice.chips();
    for (const model::NetworkAxis& axis : axes_) {
        std::vector<int> positions;
        std::vector<int> neighbours[2];
        const bool on_chip = axis.torus_axis == model::NetworkAxis::on_chip;
        for (int device = 0; device < devices_; ++device) {
            const int chip = device / devices_per_chip_;
            const int local = device % devices_per_chip_;
            positions.push_back(on_chip ? local
                                        : machine.slice.coordinates(
                                              chip)[static_cast<std::size_t>(axis.torus_axis)]);
            for (int direction : {up, down}) {
                const int sign = direction == up ? 1 : -1;
                int next = -1;
                if (on_chip) {
                    const int other = local + sign;
                    next = other >= 0 && other < devices_per_chip_ ? device + sign : -1;
                } else if (const auto found =
                               machine.slice.neighbour(chip, axis.torus_axis, sign)) {
                    next = *found * devices_per_chip_ + local;
                }
                neighbours[direction].push_back(next);
                use_.links += !on_chip && local == 0 && next >= 0 ? 1 : 0;
            }
        }
        position_.push_back(std::move(positions));
        for (int direction : {up, down}) {
            neighbour_[direction].push_back(std::move(neighbours[direction]));
            links_[direction].emplace_back(static_cast<std::size_t>(chips));
        }
    }
    SC_HAS_PROCESS(Network);
    SC_METHOD(deliver);
    sensitive << next_;
    dont_initialize();
}

Network::~Network() = default;

const Network::Prepared& Network::prepared(const model::CollectiveSchedule& schedule)
{
    std::unique_ptr<Prepared>& found = prepared_[&schedule];
    if (!found) {
        found = std::make_unique<Prepared>();
        found->colours = model::plan_phases(schedule);
    }
    return *found;
}

Network::Instance& Network::instance_for(int device, const model::CollectiveSchedule& schedule)
{
    const std::int64_t number = entered_[static_cast<std::size_t>(device)]++;
    std::unique_ptr<Instance>& instance = instances_[number];
    if (!instance) {
        if (spare_.empty()) {
            spare_.push_back(std::make_unique<Instance>());
        }
        instance = std::move(spare_.back());
        spare_.pop_back();
        instance->reset(number, prepared(schedule), devices_);
    } else if (instance->schedule != &prepared(schedule)) {
        throw std::logic_error(
            "devices entered different collectives: the graph is not the same on all of them");
    }
    return *instance;
}

void Network::enter(int device, const model::CollectiveSchedule& schedule, Picoseconds arrival,
                    Picoseconds ready, ActivityRef cause,
                    std::function<void(const CollectiveDone&)> done)
{
    Instance& instance = instance_for(device, schedule);
    instance.members[static_cast<std::size_t>(device)].done = std::move(done);
    const bool later = arrival > instance.arrivals.last_arrival;
    const bool tie = arrival == instance.arrivals.last_arrival && device < instance.last_device;
    if (instance.entered++ == 0 || later || tie) {
        instance.arrivals = {arrival, cause};
        instance.last_device = device;
    }
    post(ready, instance, {false, 0, 0, 0, device});
    notify_at(next_, moments_.begin()->first);
}

void Network::post(Picoseconds time, Instance& instance, const Subject& subject)
{
    Moment& moment = moments_[time];
    if (moment.capacity() == 0 && !spare_moments_.empty()) {
        moment = std::move(spare_moments_.back());
        spare_moments_.pop_back();
    }
    moment.push_back({subject.packed(), &instance});
}

void Network::deliver()
{
    while (!moments_.empty() && moments_.begin()->first <= now()) {
        Moment moment = std::move(moments_.begin()->second);
        moments_.erase(moments_.begin());
        std::sort(moment.begin(), moment.end(), [](const Event& a, const Event& b) {
            return a.instance != b.instance ? a.instance->number < b.instance->number
                                            : a.rank < b.rank;
        });
        for (const Event& event : moment) {
            handle(event);
        }
        moment.clear();
        spare_moments_.push_back(std::move(moment));
    }
    if (!moments_.empty()) {
        notify_at(next_, moments_.begin()->first);
    }
}

void Network::handle(const Event& event)
{
    Instance& instance = *event.instance;
    const Subject subject = Subject::of(event.rank);
    if (subject.message) {
        ++instance.direction(subject.colour, subject.phase, subject.device, subject.direction)
              .received;
        if (instance.phase(subject.colour, subject.device) == subject.phase) {
            advance(instance, subject.device, subject.colour);
        }
        return;
    }
    // The last colour may finish the instance and free it for another collective: ask first.
    const int colours = static_cast<int>(instance.schedule->colours.size());
    for (int colour = 0; colour < colours; ++colour) {
        instance.phase(colour, subject.device) = 0;
    }
    for (int colour = 0; colour < colours; ++colour) {
        advance(instance, subject.device, colour);
    }
}

void Network::advance(Instance& instance, int device, int colour)
{
    const std::vector<PhasePlan>& phases =
        instance.schedule->colours[static_cast<std::size_t>(colour)];
    std::int32_t& phase = instance.phase(colour, device);
    while (phase < static_cast<std::int32_t>(phases.size())) {
        const bool up_done = send_what_is_ready(instance, device, colour, phase, up);
        const bool down_done = send_what_is_ready(instance, device, colour, phase, down);
        if (!up_done || !down_done) {
            return;
        }
        ++phase;
    }
    finish_colour(instance, device);
}

bool Network::send_what_is_ready(Instance& instance, int device, int colour, int phase,
                                 int direction)
{
    const PhasePlan& plan =
        instance.schedule
            ->colours[static_cast<std::size_t>(colour)][static_cast<std::size_t>(phase)];
    const int position =
        position_[static_cast<std::size_t>(plan.axis)][static_cast<std::size_t>(device)];
    Instance::Direction& state = instance.direction(colour, phase, device, direction);
    const int sends = plan.sends(position, direction);
    while (state.sent < sends) {
        const int step = plan.first_step(position, direction) + state.sent;
        if (state.received < plan.needs(position, direction, step)) {
            break;
        }
        send(instance, device, colour, phase, direction, step);
        ++state.sent;
    }
    return state.sent == sends && state.received == plan.receives(position, direction);
}

void Network::send(Instance& instance, int device, int colour, int phase, int direction, int step)
{
    const PhasePlan& plan =
        instance.schedule
            ->colours[static_cast<std::size_t>(colour)][static_cast<std::size_t>(phase)];
    const auto axis = static_cast<std::size_t>(plan.axis);
    const auto at_step = static_cast<std::size_t>(step - 1);
    Link& link = links_[direction][axis][static_cast<std::size_t>(device / devices_per_chip_)];
    const Picoseconds sending = plan.serialization[at_step];
    link.free = std::max(link.free, now()) + sending;
    ++use_.messages;
    if (axes_[axis].torus_axis == model::NetworkAxis::on_chip) {
        use_.on_chip_bytes += plan.bytes[at_step];
    } else {
        use_.link_bytes += plan.bytes[at_step];
        use_.link_busy += sending;
    }
    const int receiver = neighbour_[direction][axis][static_cast<std::size_t>(device)];
    post(link.free + plan.latency, instance, {true, colour, phase, direction, receiver});
}

void Network::finish_colour(Instance& instance, int device)
{
    Instance::Member& member = instance.members[static_cast<std::size_t>(device)];
    if (++member.colours_done < static_cast<int>(instance.schedule->colours.size())) {
        return;
    }
    const std::function<void(const CollectiveDone&)> done = std::move(member.done);
    const CollectiveDone result = instance.arrivals;
    if (++instance.finished == devices_) {
        const auto found = instances_.find(instance.number);
        spare_.push_back(std::move(found->second));
        instances_.erase(found);
    }
    done(result);
}

} // namespace alxsim::sim
