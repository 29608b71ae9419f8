// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/trace/trace_order.h"

#include "base/input_error.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace alxsim::traces {
namespace {

std::string node_words(const Node& node)
{
    return "node " + std::to_string(node.id) +
           (node.name.empty() ? "" : " (" + node.name.substr(0, 60) + ")");
}

/// Fills `after` with places in place of ids.
void resolve(const Trace& trace, TraceOrder& result)
{
    std::unordered_map<std::uint64_t, int> places;
    for (const Node& node : trace.nodes) {
        if (!places.emplace(node.id, static_cast<int>(places.size())).second) {
            throw InputError(trace.file, "node " + std::to_string(node.id),
                             "found a second node of this id; allowed: an id of its own");
        }
    }
    for (const Node& node : trace.nodes) {
        std::vector<int> after;
        for (const std::uint64_t id : node.after) {
            const auto found = places.find(id);
            if (found == places.end()) {
                ++result.elsewhere;
            } else {
                after.push_back(found->second);
            }
        }
        std::sort(after.begin(), after.end());
        after.erase(std::unique(after.begin(), after.end()), after.end());
        result.after.push_back(std::move(after));
    }
}

/// Nodes of several ranks, some of which go at one time, by how many others each waits for.
class JointSort {
public:
    JointSort(const std::vector<Trace>& traces, const std::vector<TraceOrder>& orders,
              JointOrder& result)
        : traces_(traces),
          orders_(orders),
          result_(result)
    {
        result_.order.resize(traces.size());
        for (std::size_t rank = 0; rank < traces.size(); ++rank) {
            add_rank(static_cast<int>(rank));
        }
        for (const Meeting& meeting : result_.meetings) {
            missing_.push_back(static_cast<int>(meeting.members.size()));
            if (is_message(meeting)) { // the receive waits for the send
                ++waits_[at(meeting.members[1].rank)][at(meeting.members[1].node)];
            }
        }
    }

    void run()
    {
        for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
            for (std::size_t node = 0; node < waits_[rank].size(); ++node) {
                if (waits_[rank][node] == 0) {
                    ready({static_cast<int>(rank), static_cast<int>(node)});
                }
            }
        }
        while (!queue_.empty()) {
            const Place place{std::get<1>(queue_.top()), std::get<2>(queue_.top())};
            queue_.pop();
            go(place);
        }
        for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
            expect_all(static_cast<int>(rank));
        }
    }

private:
    using Entry = std::tuple<int, int, int>; // place in the rank's own order, rank, node

    const Node& node(const Place& place) const
    {
        return traces_[at(place.rank)].nodes[at(place.node)];
    }

    bool is_message(const Meeting& meeting) const
    {
        return node(meeting.members.front()).kind == NodeKind::send;
    }

    void add_rank(int rank)
    {
        const TraceOrder& order = orders_[at(rank)];
        followers_.emplace_back(order.after.size());
        waits_.emplace_back(order.after.size());
        turn_.emplace_back(order.after.size());
        for (std::size_t i = 0; i < order.order.size(); ++i) {
            turn_.back()[at(order.order[i])] = static_cast<int>(i);
        }
        for (std::size_t i = 0; i < order.after.size(); ++i) {
            waits_.back()[i] = static_cast<int>(order.after[i].size());
            for (const int before : order.after[i]) {
                followers_.back()[at(before)].push_back(static_cast<int>(i));
            }
        }
    }

    void queue(const Place& place)
    {
        queue_.emplace(turn_[at(place.rank)][at(place.node)], place.rank, place.node);
    }

    /// A collective goes when all are ready.
    void ready(const Place& place)
    {
        const int meeting = result_.meeting_of[at(place.rank)][at(place.node)];
        if (meeting < 0 || is_message(result_.meetings[at(meeting)])) {
            queue(place);
        } else if (--missing_[at(meeting)] == 0) {
            queue(result_.meetings[at(meeting)].members.front());
        }
    }

    void release(const Place& place)
    {
        if (--waits_[at(place.rank)][at(place.node)] == 0) {
            ready(place);
        }
    }

    void finish(const Place& place)
    {
        result_.order[at(place.rank)].push_back(place.node);
        for (const int follower : followers_[at(place.rank)][at(place.node)]) {
            release({place.rank, follower});
        }
    }

    void go(const Place& place)
    {
        const int number = result_.meeting_of[at(place.rank)][at(place.node)];
        if (number < 0) {
            finish(place);
            return;
        }
        const Meeting& meeting = result_.meetings[at(number)];
        if (!is_message(meeting)) {
            for (const Place& member : meeting.members) {
                finish(member);
            }
            return;
        }
        finish(place);
        if (node(place).kind == NodeKind::send) {
            release(meeting.members[1]);
        }
    }

    void expect_all(int rank) const
    {
        const Trace& trace = traces_[at(rank)];
        if (result_.order[at(rank)].size() == trace.nodes.size()) {
            return;
        }
        std::vector<bool> ran(trace.nodes.size());
        for (const int node : result_.order[at(rank)]) {
            ran[at(node)] = true;
        }
        for (const int node : orders_[at(rank)].order) {
            if (!ran[at(node)]) {
                throw InputError(trace.file, "node " + std::to_string(trace.nodes[at(node)].id),
                                 "waits for ranks that wait for it, by their messages and "
                                 "collectives; allowed: an order in which all can run");
            }
        }
    }

    const std::vector<Trace>& traces_;
    const std::vector<TraceOrder>& orders_;
    JointOrder& result_;
    std::vector<std::vector<std::vector<int>>> followers_;
    std::vector<std::vector<int>> waits_, turn_;
    std::vector<int> missing_; // [meeting]: members that are not ready
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Finds who meets whom.
class Matching {
public:
    Matching(const std::vector<Trace>& traces, JointOrder& result)
        : traces_(traces),
          result_(result)
    {
        for (const Trace& trace : traces) {
            result_.meeting_of.emplace_back(trace.nodes.size(), -1);
        }
    }

    void add(const Place& place)
    {
        const Node& node = traces_[at(place.rank)].nodes[at(place.node)];
        if (node.kind == NodeKind::collective) {
            add_collective(node, place);
        } else if (node.kind == NodeKind::send || node.kind == NodeKind::receive) {
            const bool sends = node.kind == NodeKind::send;
            const int source = sends ? place.rank : node.peer;
            const int destination = sends ? node.peer : place.rank;
            messages_[{source, destination, node.tag}][sends ? 0 : 1].push_back(place);
        }
    }

    void match_messages()
    {
        for (const auto& [key, ends] : messages_) {
            const std::size_t common = std::min(ends[0].size(), ends[1].size());
            for (const auto& side : ends) {
                if (side.size() > common) {
                    refuse_alone(side[common]);
                }
            }
            for (std::size_t i = 0; i < common; ++i) {
                match(ends[0][i], ends[1][i], static_cast<int>(i));
            }
        }
    }

    /// Ranks that call collectives of a group call as many of them, and a group has as many ranks
    /// as the traces say.
    void check_collectives() const
    {
        for (const auto& [key, count] : numbers_) {
            const std::vector<int>& of_group = collectives_.at(key.first);
            if (at(count) != of_group.size()) {
                refuse_group(key.second, key.first,
                             std::to_string(count) + " collectives where another rank has " +
                                 std::to_string(of_group.size()),
                             "as many of all its ranks");
            }
        }
        for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
            for (const auto& [group, size] : traces_[rank].sizes) {
                check_size(static_cast<int>(rank), group, at(size));
            }
            for (const auto& [group, ranks] : traces_[rank].groups) {
                check_size(static_cast<int>(rank), group, ranks.size());
            }
        }
    }

private:
    void check_size(int rank, const std::string& group, std::size_t size) const
    {
        const auto meetings = collectives_.find(group);
        if (meetings == collectives_.end() || size == 0) {
            return; // none of its collectives is here, or who is in it is not said
        }
        const std::size_t members = result_.meetings[at(meetings->second.front())].members.size();
        if (members != size) {
            refuse_group(rank, group, std::to_string(members) + " ranks in it",
                         std::to_string(size) + ", as the file says");
        }
    }

    [[noreturn]] void refuse_group(int rank, const std::string& group, const std::string& found,
                                   const std::string& allowed) const
    {
        throw InputError(traces_[at(rank)].file, "group '" + group + "'",
                         "found " + found + "; allowed: " + allowed);
    }

    const Node& node(const Place& place) const
    {
        return traces_[at(place.rank)].nodes[at(place.node)];
    }

    void join(const Place& place, int meeting)
    {
        result_.meetings[at(meeting)].members.push_back(place);
        result_.meeting_of[at(place.rank)][at(place.node)] = meeting;
    }

    int new_meeting(int number)
    {
        result_.meetings.push_back({{}, number});
        return static_cast<int>(result_.meetings.size()) - 1;
    }

    void add_collective(const Node& node, const Place& place)
    {
        std::vector<int>& of_group = collectives_[node.group];
        int& number = numbers_[{node.group, place.rank}];
        if (at(number) == of_group.size()) {
            of_group.push_back(new_meeting(number));
        }
        join(place, of_group[at(number++)]);
    }

    [[noreturn]] void refuse_alone(const Place& place) const
    {
        const Node& alone = node(place);
        const bool sends = alone.kind == NodeKind::send;
        throw InputError(traces_[at(place.rank)].file, "node " + std::to_string(alone.id),
                         std::string(sends ? "sends to" : "receives from") + " rank " +
                             std::to_string(alone.peer) + " with tag " + std::to_string(alone.tag) +
                             ", which has no " + (sends ? "receive" : "send") +
                             " for it; allowed: as many of both, in the traces of all ranks");
    }

    void match(const Place& send, const Place& receive, int number)
    {
        if (node(send).bytes != node(receive).bytes) {
            throw InputError(
                traces_[at(receive.rank)].file, "node " + std::to_string(node(receive).id),
                "receives " + std::to_string(node(receive).bytes) + " bytes of which rank " +
                    std::to_string(send.rank) + " sends " + std::to_string(node(send).bytes) +
                    " (" + node_words(node(send)) + "); allowed: the same size");
        }
        const int meeting = new_meeting(number);
        join(send, meeting);
        join(receive, meeting);
    }

    const std::vector<Trace>& traces_;
    JointOrder& result_;
    std::map<std::string, std::vector<int>> collectives_; // meetings of each group
    std::map<std::pair<std::string, int>, int> numbers_;
    std::map<std::tuple<int, int, std::int64_t>, std::array<std::vector<Place>, 2>> messages_;
};

} // namespace

TraceOrder order_of(const Trace& trace)
{
    TraceOrder result;
    resolve(trace, result);
    std::vector<int> waits;
    std::vector<std::vector<int>> followers(trace.nodes.size());
    for (std::size_t i = 0; i < result.after.size(); ++i) {
        waits.push_back(static_cast<int>(result.after[i].size()));
        for (const int before : result.after[i]) {
            followers[at(before)].push_back(static_cast<int>(i));
        }
    }
    using Entry = std::tuple<bool, std::uint64_t, int>; // receives, id, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    const auto add = [&](int node) {
        const Node& of = trace.nodes[at(node)];
        ready.emplace(of.kind == NodeKind::receive, of.id, node);
    };
    for (std::size_t i = 0; i < waits.size(); ++i) {
        if (waits[i] == 0) {
            add(static_cast<int>(i));
        }
    }
    while (!ready.empty()) {
        const int node = std::get<2>(ready.top());
        ready.pop();
        result.order.push_back(node);
        for (const int follower : followers[at(node)]) {
            if (--waits[at(follower)] == 0) {
                add(follower);
            }
        }
    }
    const auto stuck = std::find_if(waits.begin(), waits.end(), [](int left) { return left > 0; });
    if (stuck != waits.end()) {
        const Node& node = trace.nodes[static_cast<std::size_t>(stuck - waits.begin())];
        throw InputError(trace.file, "node " + std::to_string(node.id),
                         "waits for nodes that wait for it, a cycle; allowed: dependencies "
                         "without cycles");
    }
    return result;
}

JointOrder joint_order(const std::vector<Trace>& traces, const std::vector<TraceOrder>& orders)
{
    JointOrder result;
    Matching matching(traces, result);
    for (std::size_t rank = 0; rank < traces.size(); ++rank) {
        for (const int node : orders[rank].order) {
            matching.add({static_cast<int>(rank), node});
        }
    }
    if (traces.size() > 1) {
        matching.check_collectives();
    }
    matching.match_messages();
    JointSort(traces, orders, result).run();
    return result;
}

} // namespace alxsim::traces
