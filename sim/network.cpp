// SPDX-License-Identifier: Apache-2.0
#include "sim/network.h"

#include "sim/collective_instance.h"
#include "sim/kernel_time.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace alxsim::sim {

namespace {

/// Remembered collectives together take some 64 MB at most.
std::size_t memo_capacity(std::size_t links, int devices)
{
    const std::size_t each =
        2 * links * sizeof(LinkUse) + 2 * static_cast<std::size_t>(devices) * sizeof(Picoseconds);
    return std::clamp<std::size_t>((std::size_t{64} << 20) / each, 8, 1024);
}

} // namespace

Network::Network(const sc_core::sc_module_name& name, const topologies::Machine& machine,
                 bool remember, Observer* observer, bool one_chip)
    : sc_core::sc_module(name),
      slice_(machine.slice),
      grid_(machine),
      packets_("links", machine.slice, model::packet_network_spec(machine)),
      launch_(to_picoseconds(machine.device.collective_launch)),
      remember_(remember),
      one_chip_(one_chip),
      links_alike_(machine.faults.links.empty() && machine.network.vc_buffer == Bytes(0)),
      observer_(observer),
      on_chip_(machine),
      memo_(memo_capacity(packets_.link_uses().size(), machine.devices))
{
    packets_.set_receiver(*this);
    packets_.set_send_first([this] { deliver(); });
    packets_.set_observer(observer);
    repeated_.links.resize(packets_.link_uses().size());
    SC_HAS_PROCESS(Network);
    SC_METHOD(deliver);
    sensitive << next_;
    dont_initialize();
    process_.is_last_created();
}

Network::~Network() = default;

// --- Entering and leaving
// -------------------------------------------------------------------------

const PreparedSchedule&
Network::prepared(const std::shared_ptr<const model::CollectiveSchedule>& schedule)
{
    const auto found = prepared_.find(schedule.get());
    if (found != prepared_.end()) {
        return *found->second;
    }
    forget_dead_schedules();
    auto added = one_chip_ ? std::make_unique<PreparedSchedule>(schedule, grid_.devices())
                           : std::make_unique<PreparedSchedule>(schedule, grid_);
    return *prepared_.emplace(schedule.get(), std::move(added)).first->second;
}

/// Those that nobody else has any more, and that no collective under way goes by.
void Network::forget_dead_schedules()
{
    std::set<const PreparedSchedule*> under_way;
    for (const auto& [number, instance] : instances_) {
        under_way.insert(instance ? instance->schedule : nullptr);
    }
    for (auto known = prepared_.begin(); known != prepared_.end();) {
        const PreparedSchedule& prepared = *known->second;
        if (prepared.schedule.use_count() == 1 && under_way.count(&prepared) == 0) {
            memo_.forget(prepared);
            replays_.erase(&prepared);
            known = prepared_.erase(known);
        } else {
            ++known;
        }
    }
}

Network::Instance&
Network::instance_for(int device, const std::shared_ptr<const model::CollectiveSchedule>& schedule,
                      const model::RoleMeeting* meeting)
{
    Sequence& sequence = meeting == nullptr ? sequences_[schedule->along()] : meetings_[meeting];
    sequence.entered.resize(static_cast<std::size_t>(grid_.devices()));
    const std::int64_t place = sequence.entered[static_cast<std::size_t>(device)]++;
    Instance*& instance = sequence.open[place];
    if (instance == nullptr) {
        instance = &new_instance(schedule);
        instance->members = meeting == nullptr ? grid_.devices() : meeting->devices;
    } else if (instance->schedule->schedule != schedule) {
        throw std::logic_error(
            "devices entered different collectives: the graph is not the same on all of them");
    }
    Instance& entered = *instance;
    if (entered.entered + 1 == entered.members) {
        sequence.open.erase(place);
        if (meeting != nullptr && sequence.open.empty()) {
            meetings_.erase(meeting);
        }
    }
    return entered;
}

Network::Instance&
Network::new_instance(const std::shared_ptr<const model::CollectiveSchedule>& schedule)
{
    const PreparedSchedule& of = prepared(schedule);
    if (spare_.empty()) {
        spare_.push_back(std::make_unique<Instance>());
    }
    const std::int64_t number = next_number_++;
    std::unique_ptr<Instance>& instance = instances_[number];
    instance = std::move(spare_.back());
    spare_.pop_back();
    instance->reset(number, of, grid_.devices());
    return *instance;
}

/// A device may then be ready for the next collective as soon as it is done with this one: none is
/// known to find a quiet network.
void Network::expect_no_launches()
{
    remember_ = false;
}

void Network::enter(int device, const std::shared_ptr<const model::CollectiveSchedule>& schedule,
                    Picoseconds arrival, Picoseconds ready, ActivityRef cause,
                    std::function<void(const CollectiveDone&)> done,
                    const model::RoleMeeting* meeting)
{
    Instance& instance = instance_for(device, schedule, meeting);
    instance.done[static_cast<std::size_t>(device)] = std::move(done);
    instance.ready[static_cast<std::size_t>(device)] = ready;
    if (observer_ != nullptr) {
        observer_->collective_entered({instance.number, device, arrival});
    }
    const bool later = arrival > instance.arrivals.last_arrival;
    const bool tie = arrival == instance.arrivals.last_arrival && device < instance.last_device;
    if (instance.entered++ == 0 || later || tie) {
        instance.arrivals = {arrival, cause};
        instance.last_device = device;
    }
    post(ready, instance, {CollectiveEvent::What::entry, 0, 0, 0, device});
    notify_at(next_, moments_.next());
}

void Network::finish(Instance& instance, int device)
{
    const auto which = static_cast<std::size_t>(device);
    if (!instance.done[which]) {
        return; // it was told before the links caught up
    }
    if (past_) {
        throw std::logic_error("a device was done with a collective before all were ready");
    }
    instance.finish[which] = now();
    if (observer_ != nullptr) {
        observer_->collective_left({instance.number, device, now(), instance.as_remembered});
    }
    const std::function<void(const CollectiveDone&)> done =
        std::exchange(instance.done[which], nullptr);
    const CollectiveDone result = instance.arrivals;
    if (++instance.finished == instance.members) {
        if (instance.undisturbed) {
            keep(instance);
        }
        if (&instance == held_) {
            let_go();
        }
        const auto found = instances_.find(instance.number);
        spare_.push_back(std::move(found->second));
        instances_.erase(found);
    }
    done(result);
}

// --- Time
// -----------------------------------------------------------------------------------------

void Network::post(Picoseconds time, Instance& instance, const CollectiveEvent& event)
{
    moments_.post(time, {event.packed(), &instance});
}

void Network::deliver()
{
    while (!moments_.empty() && moments_.next() <= now() && !given_up_) {
        if (held_ != nullptr && another_begins(*held_)) {
            catch_up();
        }
        handle_moment();
    }
    if (!moments_.empty() && !given_up_) {
        notify_at(next_, moments_.next());
    }
}

/// The first that is to come.
void Network::handle_moment()
{
    const auto is_other = [&](const Event& event) {
        return event.instance != moments_.first().front().instance;
    };
    of_one_ = std::none_of(moments_.first().begin(), moments_.first().end(), is_other);
    std::vector<Event> moment = moments_.take();
    std::sort(moment.begin(), moment.end(), [](const Event& a, const Event& b) {
        return a.instance != b.instance ? a.instance->number < b.instance->number
                                        : a.packed < b.packed;
    });
    for (const Event& event : moment) {
        handle(*event.instance, CollectiveEvent::of(event.packed));
    }
    moments_.reuse(std::move(moment));
}

void Network::received(const std::vector<MessageTag>& messages)
{
    for (const MessageTag& message : messages) {
        handle(*instances_.at(static_cast<std::int64_t>(message.group)),
               CollectiveEvent::of(message.rank));
    }
}

void Network::handle(Instance& instance, const CollectiveEvent& event)
{
    switch (event.what) {
    case CollectiveEvent::What::sent: // of links that the analytic model replays
        break;
    case CollectiveEvent::What::entry:
        enter_now(instance, event.subject);
        break;
    case CollectiveEvent::What::message:
        carrying_ = &instance;
        instance.run.receive(event, *this, [&](int device) { finish(instance, device); });
        break;
    case CollectiveEvent::What::finish:
        if (instance.as_remembered) {
            finish(instance, event.subject);
        }
        break;
    }
}

void Network::enter_now(Instance& instance, int device)
{
    const std::vector<int>* const group = instance.schedule->group_with(device);
    if (group == nullptr) {
        start_now(instance, device);
    } else if (instance.completes_its_group(device)) {
        for (const int member : *group) {
            start_now(instance, member);
        }
    }
}

/// From now on `device` may send.
void Network::start_now(Instance& instance, int device)
{
    if (!instance.begun) {
        begin(instance);
    }
    if (&instance == held_) {
        instance.held.push_back({now(), device});
        if (static_cast<int>(instance.held.size()) == instance.members) {
            foretell(instance);
        }
        return;
    }
    if (instance.as_remembered) {
        return;
    }
    carrying_ = &instance;
    if (instance.run.enter(device, *this)) {
        finish(instance, device);
    }
}

// --- Remembering
// ----------------------------------------------------------------------------------

/// When the first device is ready, all of them have entered, and nothing else is under way.
bool Network::can_be_remembered(const Instance& instance) const
{
    return remember_ && instance.entered == grid_.devices() && instances_.size() == 1 &&
           packets_.idle();
}

void Network::begin(Instance& instance)
{
    instance.begun = true;
    instance.first_ready = now();
    for (const auto& [number, other] : instances_) {
        other->undisturbed = false;
    }
    if (held_ != nullptr) { // in the same moment
        catch_up();
    }
    if (instance.entered == grid_.devices()) {
        instance.wait_for_groups();
    }
    if (can_be_held(instance)) {
        held_ = &instance;
        return;
    }
    if (one_chip_) {
        give_up(instance);
        return;
    }
    if (can_be_remembered(instance)) {
        instance.count_from_first();
        CollectiveMemo::Course known = memo_.find(*instance.schedule, instance.ready);
        if (known == nullptr) {
            known = predict(instance);
            predicted_ += known == nullptr ? 0 : 1;
        }
        if (known != nullptr && !known->apart) {
            go_as_remembered(instance, *known);
            return;
        }
        instance.undisturbed = known == nullptr && !memo_.full();
        if (instance.undisturbed) {
            instance.before = counters();
        }
    }
    instance.run.start(*instance.schedule);
}

void Network::go_as_remembered(Instance& instance, const RememberedCollective& known)
{
    instance.as_remembered = true;
    ++remembered_;
    const Picoseconds last = *std::max_element(known.finish.begin(), known.finish.end());
    repeat(known.before, known.after, 1, now(), now() + last);
    post_finishes(instance, known);
}

void Network::post_finishes(Instance& instance, const RememberedCollective& course)
{
    for (int device = 0; device < grid_.devices(); ++device) {
        post(instance.first_ready + course.finish[static_cast<std::size_t>(device)], instance,
             {CollectiveEvent::What::finish, 0, 0, 0, device});
    }
}

/// Remembers how a collective will go of which one chip tells all; null if none does.
CollectiveMemo::Course Network::predict(const Instance& instance)
{
    if (one_chip_) {
        return nullptr; // replayed
    }
    const bool at_once = std::all_of(instance.ready.begin(), instance.ready.end(),
                                     [](Picoseconds ready) { return ready == Picoseconds(0); });
    if (!at_once || !links_alike_ || observer_ != nullptr || memo_.full()) {
        return nullptr;
    }
    const PreparedSchedule& schedule = *instance.schedule;
    const std::optional<model::EvenCollective> even = model::even_collective(*schedule.schedule);
    if (!even) {
        return nullptr;
    }
    const auto [first, last] = std::minmax_element(even->done.begin(), even->done.end());
    if (*last > *first && *last - *first >= launch_) {
        return nullptr; // see keep()
    }
    auto course = std::make_shared<const RememberedCollective>(course_of(*even));
    memo_.keep(schedule, instance.ready, course);
    return course;
}

/// Unless some device is done so much earlier than another that it might be ready for the next
/// collective before, and this one cannot be held: that one would not find a quiet network, which
/// could not be told.
void Network::keep(Instance& instance)
{
    const auto [first, last] = std::minmax_element(instance.finish.begin(), instance.finish.end());
    const bool apart = *last > *first && *last - *first >= launch_;
    if (apart && !(links_alike_ && observer_ == nullptr && instance.schedule->begins_at_once())) {
        return;
    }
    RememberedCollective known;
    for (const Picoseconds finish : instance.finish) {
        known.finish.push_back(finish - instance.first_ready);
    }
    known.before = std::move(instance.before);
    known.after = counters();
    known.apart = apart;
    memo_.keep(*instance.schedule, instance.ready,
               std::make_shared<const RememberedCollective>(std::move(known)));
}

// --- Carrying
// -------------------------------------------------------------------------------------

void Network::carry(int from, int to, int along, Bytes bytes, const CollectiveEvent& event)
{
    ++messages_;
    const bool routed = along < 0 || carrying_->schedule->ranks;
    if (grid_.chip_of(from) == grid_.chip_of(to) && (routed || grid_.is_on_chip(along))) {
        carry_on_chip(from, to, bytes, event);
        return;
    }
    const auto number = static_cast<std::uint64_t>(carrying_->number);
    const int colour = carrying_->schedule->in_chunks ? 0 : event.colour;
    const std::uint64_t stream = number << 16 | static_cast<std::uint64_t>(colour) << 8 |
                                 static_cast<std::uint64_t>(grid_.local(from));
    packets_.send(grid_.chip_of(from), grid_.chip_of(to), bytes, stream, {number, event.packed()},
                  time());
}

void Network::carry_on_chip(int from, int to, Bytes bytes, const CollectiveEvent& event)
{
    on_chip_bytes_ += bytes;
    post(on_chip_.send(from, to, bytes, time(), carrying_->number), *carrying_, event);
    if (!past_) {
        notify_at(next_, moments_.next());
    }
}

} // namespace alxsim::sim
