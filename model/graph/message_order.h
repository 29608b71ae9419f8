// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

/// [message]: those that it waits for
using MessageOrder = std::vector<std::vector<int>>;

/// What is wrong with the order of messages, and at which.
struct OrderProblem {
    std::size_t message = 0;
    std::string problem;
};

/// Nothing if every message waits only for such as come to where it leaves, and none for itself,
/// be it through others.
std::optional<OrderProblem> problem_of(const std::vector<PairMessage>& messages,
                                       const MessageOrder& after);

/// Until the last message is there, if each takes its time as soon as it may leave, whatever others
/// do to its links. Of an order without problems.
Picoseconds longest_chain(const MessageOrder& after, const std::vector<Picoseconds>& times);

} // namespace alxsim::model
