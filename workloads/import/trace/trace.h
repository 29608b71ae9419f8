// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Programs that ran elsewhere, as traces of them tell: what each rank did, and what waited for
/// what.
namespace alxsim::traces {

enum class NodeKind { dropped, compute, collective, send, receive, load, store, move };

/// In the order of Chakra's comm_type, 0 to 9; reduce_scatter_block is a reduce_scatter, too.
enum class Exchange {
    all_reduce,
    reduce,
    all_gather,
    gather,
    scatter,
    broadcast,
    all_to_all,
    reduce_scatter,
    reduce_scatter_block,
    barrier
};

struct Node {
    std::uint64_t id = 0;
    std::string name;
    NodeKind kind = NodeKind::dropped;
    std::vector<std::uint64_t> after; ///< ids
    double seconds = 0;               ///< that it took
    double operations = 0;            ///< of a computation; 0: unknown
    /// What a computation touches, what a rank gives to a collective, the size of a message, what
    /// others move. 0: unknown.
    std::int64_t bytes = 0;
    Exchange exchange = Exchange::all_reduce; ///< of a collective
    bool has_exchange = false;
    std::string group; ///< of a collective: the name of its process group; "": none
    /// For a collective, which of the network's dimensions it spans; empty: not said.
    std::vector<bool> dimensions;
    int peer = -1; ///< of a message: the other rank
    std::int64_t tag = 0;
};

/// What one rank did. Nodes stand in any order.
struct Trace {
    std::string file;
    std::vector<Node> nodes;
    /// Ranks of process groups, where the trace has them.
    std::map<std::string, std::vector<int>> groups;
    /// How many ranks process groups have of which it says no more.
    std::map<std::string, int> sizes;
};

/// Limits of what a trace may say, beyond which it is refused.
inline constexpr std::int64_t most_bytes_of_node = 1000000000000000;
inline constexpr std::int64_t most_microseconds = 1000000000000;
inline constexpr std::int64_t most_ranks = 1000000;

/// For subscripts.
inline std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

} // namespace alxsim::traces
