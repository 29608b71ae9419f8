// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/replay_key.h"

#include "base/numbers/double_bits.h"
#include "model/collectives/replays/box_tiles.h"
#include "model/collectives/replays/routed_network.h"

namespace alxsim::model {
namespace {

class ReplayKey {
public:
    explicit ReplayKey(const CollectiveSchedule& schedule) : schedule_(schedule)
    {
        find_roots();
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
    /// Finds those of trees on links of their own, whose times do not go by which of several places
    /// that look alike their root has. Routers tell the first chips of a ring from others, messages
    /// do not.
    void find_roots()
    {
        roots_.assign(schedule_.axes.size(), -1);
        for (const Colour& colour : schedule_.colours) {
            for (const AxisPhase& phase : colour.phases) {
                if (schedule_.has_rank_network() || !has_origin(phase.exchange)) {
                    roots_.assign(schedule_.axes.size(), -1);
                    return;
                }
                roots_[static_cast<std::size_t>(phase.axis)] = phase.origin;
            }
        }
    }
    /// On a ring from the root on, on a line from the end that is nearer to the root.
    std::int64_t place(int axis, int position) const
    {
        const NetworkAxis& along = schedule_.axes[static_cast<std::size_t>(axis)];
        const int root = roots_[static_cast<std::size_t>(axis)];
        if (root < 0 || along.torus_axis == NetworkAxis::on_chip) {
            return position;
        }
        if (along.wraps) {
            return (position - root + along.length) % along.length;
        }
        return 2 * root > along.length - 1 ? along.length - 1 - position : position;
    }
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
             phase.directions, phase.downwards, phase.chunks, phase.members,
             place(phase.axis, phase.origin), static_cast<std::int64_t>(phase.only_at.size())});
        for (const AxisPosition& at : phase.only_at) {
            add({at.axis, place(at.axis, at.position)});
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

    const CollectiveSchedule& schedule_;
    std::vector<int> roots_; ///< [axis]: its tree's; -1: it stays where it is
    std::vector<std::int64_t> numbers_;
};

} // namespace

std::vector<std::int64_t> replay_key(const CollectiveSchedule& schedule)
{
    return ReplayKey(schedule).take();
}

} // namespace alxsim::model
