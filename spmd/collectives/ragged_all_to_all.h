// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace alxsim::spmd {

/// Who sends how much in an all-to-all of unequal parts, as far as that is known before numbers
/// are.
struct RaggedTraffic {
    std::int64_t rows = 0; ///< that a device sends, its own included, in the mean of all devices
    /// Between places of the mesh; null: not known.
    std::shared_ptr<const std::vector<model::PairMessage>> messages = nullptr;
    /// Rows that the device with most gets, over the mean. Without messages it is timed as if all
    /// parts were as large as its own; as many bytes as are sent are counted.
    double largest = 1;
};

/// [device][member of its group]: rows that it sends there.
using RaggedRows = std::vector<std::vector<std::int64_t>>;

/// Rows and how many of them an array has room for.
template <class Number>
struct RaggedArray {
    Number* numbers = nullptr;
    std::int64_t rows = 0;
};

/// All-to-all of unequal parts in groups of devices: from[device] has rows for its group's members,
/// one member's after the other's; to[device] gets rows of the members, in the same order, and what
/// stands behind them stays. Returns how many rows were sent in all, those to oneself included.
/// Throws std::logic_error for an array that has too few rows.
template <class Number>
std::int64_t move_ragged(const std::vector<std::vector<int>>& groups, const RaggedRows& rows,
                         std::int64_t columns, const std::vector<RaggedArray<Number>>& from,
                         const std::vector<RaggedArray<Number>>& to)
{
    std::int64_t sent = 0;
    for (const std::vector<int>& group : groups) {
        std::vector<std::int64_t> taken(group.size(), 0); // of each sender's rows
        for (std::size_t member = 0; member < group.size(); ++member) {
            const RaggedArray<Number>& result = to[static_cast<std::size_t>(group[member])];
            std::int64_t filled = 0;
            for (std::size_t i = 0; i < group.size(); ++i) {
                const auto sender = static_cast<std::size_t>(group[i]);
                const std::int64_t count = rows[sender][member];
                if (taken[i] + count > from[sender].rows || filled + count > result.rows) {
                    throw std::logic_error("an all-to-all of unequal parts has too little room");
                }
                std::copy_n(from[sender].numbers + taken[i] * columns, count * columns,
                            result.numbers + filled * columns);
                taken[i] += count;
                filled += count;
            }
            sent += filled;
        }
    }
    return sent;
}

} // namespace alxsim::spmd
