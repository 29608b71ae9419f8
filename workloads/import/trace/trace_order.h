// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/trace/trace.h"

#include <cstdint>
#include <vector>

namespace alxsim::traces {

/// A trace's nodes in an order in which they can run, by their places in Trace::nodes.
struct TraceOrder {
    std::vector<int> order;
    std::vector<std::vector<int>> after; ///< [node]: the nodes that it waits for
    std::int64_t elsewhere = 0;          ///< dependencies on nodes that are not in the file
};

/// Orders them: of those that are ready, the one with the lowest id goes first, receives behind all
/// others. Throws InputError for ids that stand twice and for nodes that wait for each other.
TraceOrder order_of(const Trace& trace);

/// A node of all: which trace, and which of its nodes.
struct Place {
    int rank = 0;
    int node = 0;
};

/// Ranks that meet: those of a collective, or sender and receiver of a message.
struct Meeting {
    std::vector<Place> members; ///< of a message: the send, then the receive
    int number = 0;             ///< which of its group, or of its tag between the two
};

/// All ranks' nodes in one order, so that no two ranks meet in different order.
struct JointOrder {
    std::vector<std::vector<int>> order;      ///< [rank]: places in Trace::nodes
    std::vector<std::vector<int>> meeting_of; ///< [rank][node]: in `meetings`; -1: none
    std::vector<Meeting> meetings;
};

/// Sends and receives are matched in order by source, destination and tag; collectives by the names
/// of their groups, in order. Throws InputError for what has no counterpart, and for ranks that
/// wait for each other.
JointOrder joint_order(const std::vector<Trace>& traces, const std::vector<TraceOrder>& orders);

} // namespace alxsim::traces
