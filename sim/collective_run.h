// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_progress.h"
#include "model/collectives/device_grid.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::sim {

using model::CollectiveEvent;

/// Whether all are one group, and each message goes to a neighbour over a link that no other chip
/// sends on: nobody is done before all are ready.
bool hangs_on_all_members(const model::CollectiveSchedule& schedule);

/// A schedule with everything about it that does not change from run to run.
struct PreparedSchedule {
    PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of,
                     const model::DeviceGrid& machine);
    /// Prepares it for the devices that tell what all do: to be held and foretold, never sent.
    PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of, int devices_that_tell);

    bool routed() const { return planned.colours == 0; }
    bool stands_by(int device) const
    {
        return !bystanders.empty() && bystanders[static_cast<std::size_t>(device)];
    }
    /// All devices are one group.
    bool begins_at_once() const
    {
        return groups.size() == 1 && groups[0].size() == group_of.size();
    }
    int count_sends(int device) const;
    /// Those that `device` waits for and that wait for it; null: it waits for nobody.
    const std::vector<int>* group_with(int device) const
    {
        const int group = groups.empty() ? -1 : group_of[static_cast<std::size_t>(device)];
        return group < 0 ? nullptr : &groups[static_cast<std::size_t>(group)];
    }

    std::shared_ptr<const model::CollectiveSchedule> schedule;
    /// Where devices stand on the schedule's axes: the machine's, unless it is for ranks.
    const model::DeviceGrid* grid = nullptr;
    std::unique_ptr<const model::DeviceGrid> ranks;
    std::vector<bool> bystanders; ///< [device]: in no group. Empty: all are in one
    /// Devices that begin together: a TPU program begins a collective with a barrier of its group
    /// (XLA writes one into the configuration of each). Empty: of messages, permutes and what goes
    /// in chunks from or to a root, in which each device waits only for what it gets.
    std::vector<std::vector<int>> groups;
    std::vector<int> group_of; ///< [device]; of a bystander -1
    bool in_chunks = false;    ///< its colours_are_chunks()
    model::PlannedCollective planned;
    /// [device]: messages in chunks that it sends. Empty if it does not wait for them.
    std::vector<int> sends_in_chunks;
    std::vector<std::vector<int>> sends; ///< [device]: its routed messages
    std::vector<int> receives;           ///< [device]: how many of them
    /// [message]: how many it waits for, and which wait for it. Empty: all may leave at once.
    std::vector<std::int32_t> waits;
    std::vector<std::vector<int>> followers;
    bool hangs_on_all = false; ///< see hangs_on_all_members()

private:
    void find_groups();
};

/// Carries messages of collectives.
class MessageCarrier {
public:
    virtual ~MessageCarrier() = default;
    /// `event` happens to `to` when the message is there. `along`: to a neighbour on that network
    /// axis; -1: wherever it is.
    virtual void carry(int from, int to, int along, Bytes bytes, const CollectiveEvent& event) = 0;
};

/// Who is done with one collective: by model::CollectiveProgress, or when routed messages have
/// come. Has no clock: driven by entries and arrivals. What is passed on in chunks from or to a
/// root has left a member's buffer only when it has arrived: until then the member stays. A root
/// that only sends would else be done at once, and fill the links with collectives far ahead of
/// what the others wait for.
class CollectiveRun {
    /// First, as its type is deduced.
    static auto sender(MessageCarrier& carrier)
    {
        return [&carrier](const model::ProgressMessage& message) {
            carrier.carry(message.from, message.to, message.axis, message.bytes, message.arrival());
        };
    }

public:
    void start(const PreparedSchedule& schedule);

    /// `device` may send from now on. True when that is all that it had to do.
    bool enter(int device, MessageCarrier& carrier);
    /// A message of `schedule` has arrived. Calls `finished(device)` for whom that was the last.
    template <class Finished>
    void receive(const CollectiveEvent& event, MessageCarrier& carrier, Finished finished)
    {
        if (schedule_->routed()) {
            const model::PairMessage& message =
                schedule_->schedule->messages[static_cast<std::size_t>(event.subject)];
            send_followers(event.subject, carrier);
            for (const int device : {message.source, message.destination}) {
                if (one_done(device)) {
                    finished(device);
                }
            }
        } else {
            if (progress_.receive(event, sender(carrier))) {
                colour_done(event.subject, carrier, finished);
            }
            if (const int from = sender_in_chunks(event); from >= 0 && one_done(from)) {
                finished(from);
            }
        }
    }

private:
    /// Notes a member's colour as done. If with that all of its group have done the first part,
    /// they begin the second.
    template <class Finished>
    void colour_done(int device, MessageCarrier& carrier, Finished finished)
    {
        if (one_done(device)) {
            finished(device);
            return;
        }
        const model::PlannedCollective& planned = schedule_->planned;
        const bool first_part_done =
            left_[static_cast<std::size_t>(device)] == planned.colours - planned.first_part;
        if (!planned.has_second_part() || !first_part_done) {
            return;
        }
        const auto group =
            static_cast<std::size_t>(schedule_->group_of[static_cast<std::size_t>(device)]);
        if (--in_first_part_[group] > 0) {
            return;
        }
        for (const int member : schedule_->groups[group]) {
            const int complete = progress_.enter_second_part(member, sender(carrier));
            if (complete > 0 && some_done(member, complete)) {
                finished(member);
            }
        }
    }

    void send_message(int number, MessageCarrier& carrier) const;
    void send_followers(int number, MessageCarrier& carrier);
    /// Who sent the message of `event`, if it waits for its arrival; else -1.
    int sender_in_chunks(const CollectiveEvent& event) const
    {
        if (!schedule_->in_chunks) {
            return -1;
        }
        const model::PhasePlan& plan = schedule_->planned.phase(event.colour, event.phase).plan;
        return schedule_->grid->neighbour(plan.axis, event.subject,
                                          model::opposite(event.direction));
    }
    bool one_done(int device) { return some_done(device, 1); }
    bool some_done(int device, int count)
    {
        return (left_[static_cast<std::size_t>(device)] -= count) == 0;
    }

    const PreparedSchedule* schedule_ = nullptr;
    model::CollectiveProgress<model::DeviceGrid> progress_;
    std::vector<std::int32_t>
        left_; ///< [device]: colours and sends in chunks; routed messages and the entry
    std::vector<std::int32_t> in_first_part_; ///< [group]: members
    std::vector<std::int32_t> missing_;       ///< [message]: of those that it waits for
    std::vector<bool> entered_;               ///< [device]; where messages wait
};

} // namespace alxsim::sim
