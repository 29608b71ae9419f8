// SPDX-License-Identifier: Apache-2.0
#include "model/graph/message_order.h"

#include <algorithm>

namespace alxsim::model {
namespace {

/// Messages such that none stands before one that it waits for; without those that wait in a
/// circle, or for such.
std::vector<std::size_t> in_order(const MessageOrder& after)
{
    std::vector<std::vector<std::size_t>> followers(after.size());
    std::vector<std::size_t> waits(after.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < after.size(); ++i) {
        waits[i] = after[i].size();
        for (const int before : after[i]) {
            followers[static_cast<std::size_t>(before)].push_back(i);
        }
        if (waits[i] == 0) {
            order.push_back(i);
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (const std::size_t follower : followers[order[next]]) {
            if (--waits[follower] == 0) {
                order.push_back(follower);
            }
        }
    }
    return order;
}

} // namespace

std::optional<OrderProblem> problem_of(const std::vector<PairMessage>& messages,
                                       const MessageOrder& after)
{
    for (std::size_t i = 0; i < after.size(); ++i) {
        for (const int before : after[i]) {
            const bool known = before >= 0 && before < static_cast<int>(messages.size());
            if (!known ||
                messages[static_cast<std::size_t>(before)].destination != messages[i].source) {
                return OrderProblem{i, "found " + std::to_string(before) +
                                           "; allowed: messages, counted from 0, that come to "
                                           "device " +
                                           std::to_string(messages[i].source)};
            }
        }
    }
    std::vector<std::size_t> order = in_order(after);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (i == order.size() || order[i] != i) {
            return OrderProblem{i, "found a message that waits for itself, through others; "
                                   "allowed: none"};
        }
    }
    return std::nullopt;
}

Picoseconds longest_chain(const MessageOrder& after, const std::vector<Picoseconds>& times)
{
    std::vector<Picoseconds> there(times.size());
    Picoseconds last(0);
    for (const std::size_t i : in_order(after)) {
        for (const int before : after[i]) {
            there[i] = std::max(there[i], there[static_cast<std::size_t>(before)]);
        }
        there[i] += times[i];
        last = std::max(last, there[i]);
    }
    return last;
}

} // namespace alxsim::model
