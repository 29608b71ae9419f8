// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/replay_key.h"

#include "base/numbers/double_bits.h"
#include "model/collectives/replays/box_tiles.h"
#include "model/collectives/replays/routed_network.h"

namespace alxsim::model {
namespace {

class ReplayKey {
public:
    explicit ReplayKey(const CollectiveSchedule& schedule)
    {
        add({static_cast<std::int64_t>(schedule.axes.size()), schedule.then});
        for (const NetworkAxis& axis : schedule.axes) {
            add(axis);
        }
        for (const Colour& colour : schedule.colours) {
            add({static_cast<std::int64_t>(colour.phases.size())});
            for (const AxisPhase& phase : colour.phases) {
                add(phase);
            }
        }
        if (schedule.has_rank_network()) {
            add_all(schedule.group);
            add_groups(schedule);
            add_all(schedule.ranks->network->numbers);
        }
        if (schedule.messages_over) {
            add_all(schedule.messages);
            add_all(schedule.messages_after);
            add_all(schedule.messages_over->numbers);
        }
    }

    std::vector<std::int64_t> take() { return std::move(numbers_); }

private:
    /// Boxes that cover all devices follow from their sides.
    void add_groups(const CollectiveSchedule& schedule)
    {
        const bool follow = are_tiles(schedule);
        add(follow ? 1 : 0);
        for (const int axis : schedule.group) {
            add(schedule.axes[static_cast<std::size_t>(axis)].hops);
        }
        if (!follow) {
            add_all(schedule.ranks->strides);
            add_all(schedule.ranks->groups);
        }
    }
    void add(std::initializer_list<std::int64_t> numbers)
    {
        numbers_.insert(numbers_.end(), numbers);
    }
    void add(std::int64_t number) { numbers_.push_back(number); }
    void add(const NetworkAxis& axis)
    {
        add({axis.torus_axis, axis.length, axis.wraps, double_bits(axis.bytes_per_second),
             axis.latency.count(), axis.packet.count(), double_bits(axis.hidden),
             axis.joins_slices});
    }
    void add(const AxisPhase& phase)
    {
        add({phase.axis, static_cast<std::int64_t>(phase.exchange), phase.shard.count(),
             phase.directions, phase.downwards, phase.chunks, phase.members, phase.origin,
             static_cast<std::int64_t>(phase.only_at.size())});
        for (const AxisPosition& at : phase.only_at) {
            add({at.axis, at.position});
        }
    }
    void add(const PairMessage& message)
    {
        add({message.source, message.destination, message.bytes.count()});
    }
    void add(const std::vector<int>& list) { add_all(list); }

    template <class T>
    void add_all(const std::vector<T>& items)
    {
        add(static_cast<std::int64_t>(items.size()));
        for (const T& item : items) {
            add(item);
        }
    }

    std::vector<std::int64_t> numbers_;
};

} // namespace

std::vector<std::int64_t> replay_key(const CollectiveSchedule& schedule)
{
    return ReplayKey(schedule).take();
}

} // namespace alxsim::model
