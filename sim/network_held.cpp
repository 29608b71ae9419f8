// SPDX-License-Identifier: Apache-2.0
// Collectives of which nothing is sent until all members are ready. Nobody is done with them
// before; and if nothing else begins before all are done, nothing disturbs them, and a replay tells
// when that is, or how they went before. If something does begin, the links catch up: what is held
// is sent at the times at which it would have been.
#include "sim/collective_instance.h"
#include "sim/kernel_time.h"
#include "sim/network.h"
#include "sim/one_chip.h"

#include <algorithm>
#include <map>
#include <utility>

namespace alxsim::sim {

bool Network::can_be_held(const Instance& instance) const
{
    const auto has_begun = [&](const auto& known) {
        return known.second->begun && known.second.get() != &instance;
    };
    return remember_ && observer_ == nullptr && links_alike_ &&
           instance.members == grid_.devices() && of_one_ && packets_.idle() &&
           std::none_of(instances_.begin(), instances_.end(), has_begun) &&
           (instance.schedule->hangs_on_all || is_known_apart(instance));
}

/// It has gone before, from the barrier of all on, and can only go so again if it is held.
bool Network::is_known_apart(const Instance& instance) const
{
    if (!instance.schedule->begins_at_once()) {
        return false;
    }
    const std::vector<Picoseconds> at_once(instance.ready.size(), Picoseconds(0));
    const CollectiveMemo::Course known = memo_.find(*instance.schedule, at_once);
    return known != nullptr && known->apart;
}

/// All are ready: how the collective goes if nothing else begins.
void Network::foretell(Instance& instance)
{
    instance.count_from_first();
    instance.course = memo_.find(*instance.schedule, instance.ready);
    if (instance.course == nullptr) {
        instance.course = predict(instance);
        instance.counted = &predicted_;
    }
    if (instance.course == nullptr) {
        instance.course = replay(instance);
        instance.counted = &replayed_;
        memo_.keep(*instance.schedule, instance.ready, instance.course);
    }
    instance.as_remembered = true;
    post_finishes(instance, *instance.course);
}

CollectiveMemo::Course Network::replay(const Instance& instance)
{
    std::unique_ptr<CollectiveReplay>& known = replays_[instance.schedule];
    if (known == nullptr) {
        const model::CollectiveSchedule& schedule = *instance.schedule->schedule;
        known = one_chip_
                    ? std::make_unique<CollectiveReplay>(schedule, slice_.chips(), grid_.devices())
                    : std::make_unique<CollectiveReplay>(schedule, grid_);
        known->traffic = traffic_of(*known);
    }
    std::vector<Picoseconds> ready(instance.ready.size());
    for (std::size_t device = 0; device < ready.size(); ++device) {
        ready[known->place[device]] = instance.ready[device];
    }
    known->replay.finish(ready);
    auto course = std::make_shared<RememberedCollective>();
    for (const std::size_t place : known->place) {
        course->finish.push_back(known->replay.done()[place]);
    }
    course->before.links.resize(known->traffic.links.size());
    course->after = known->traffic;
    return course;
}

NetworkCounters Network::traffic_of(const CollectiveReplay& of) const
{
    NetworkCounters traffic;
    traffic.links.resize(packets_.link_uses().size());
    if (one_chip_) {
        return traffic;
    }
    const int devices_per_chip = grid_.devices() / slice_.chips();
    for (int chip = 0; chip < slice_.chips(); ++chip) {
        const std::size_t place = of.place[static_cast<std::size_t>(chip * devices_per_chip)];
        add_loads(of.replay.loads(static_cast<int>(place) / devices_per_chip), chip, traffic);
    }
    return traffic;
}

/// All are done, and nothing else has begun.
void Network::let_go()
{
    const RememberedCollective& course = *held_->course;
    const Picoseconds last = *std::max_element(course.finish.begin(), course.finish.end());
    ++remembered_;
    if (held_->counted != nullptr) {
        ++*held_->counted;
    }
    repeat(course.before, course.after, 1, held_->first_ready, held_->first_ready + last);
    held_ = nullptr;
}

/// At the first moment that is to come, devices enter another collective than `instance`, and are
/// the last of their group there: those that still wait for others send nothing.
bool Network::another_begins(const Instance& instance) const
{
    std::map<std::pair<const Instance*, const std::vector<int>*>, int> entries;
    for (const Event& event : moments_.first()) {
        const CollectiveEvent what = CollectiveEvent::of(event.packed);
        if (event.instance == &instance || what.what != CollectiveEvent::What::entry) {
            continue;
        }
        const std::vector<int>* const group = event.instance->schedule->group_with(what.subject);
        if (group == nullptr ||
            ++entries[{event.instance, group}] == event.instance->missing_with(what.subject)) {
            return true;
        }
    }
    return false;
}

/// What is held is sent after all, at the times at which members were ready, until now. Who was
/// told to be done by now has not to be told again.
void Network::catch_up()
{
    if (one_chip_) {
        give_up(*held_);
        return;
    }
    ++disturbed_;
    Instance& instance = *std::exchange(held_, nullptr);
    instance.as_remembered = false;
    moments_.forget([&](const Event& event) {
        return event.instance == &instance &&
               CollectiveEvent::of(event.packed).what == CollectiveEvent::What::finish;
    });
    instance.run.start(*instance.schedule);
    carrying_ = &instance;
    auto entry = instance.held.begin();
    const auto next = [&] {
        Picoseconds first = entry == instance.held.end() ? now() : entry->first;
        first = moments_.empty() ? first : std::min(first, moments_.next());
        return packets_.waits() ? std::min(first, packets_.next()) : first;
    };
    while (next() < now()) {
        past_ = next();
        for (; entry != instance.held.end() && entry->first == *past_; ++entry) {
            instance.run.enter(entry->second, *this);
        }
        if (!moments_.empty() && moments_.next() == *past_) {
            handle_moment();
        }
        if (packets_.waits() && packets_.next() == *past_) {
            packets_.run_at(*past_);
        }
    }
    past_.reset();
    for (; entry != instance.held.end(); ++entry) { // at this moment, before another
        instance.run.enter(entry->second, *this);
    }
    packets_.go_on();
}

/// What disturbs a collective that one chip was to tell is known of all links alone.
void Network::give_up(Instance& instance)
{
    given_up_ = true;
    instance.as_remembered = true; // of which nothing is sent
}

void Network::rethrow_failure() const
{
    if (given_up_) {
        throw ChipsDiffer();
    }
}

/// How far the links are.
Picoseconds Network::time() const
{
    return past_ ? *past_ : now();
}

} // namespace alxsim::sim
