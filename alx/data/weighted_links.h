// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace alxsim::alx {

struct Dataset;

/// What a file says that its links weigh, by its ids: 16 bytes a line until a job's links have
/// their weights.
class WeightedLinks {
public:
    /// Finite and above 0. A link may come several times: its weights are added, in the order of
    /// the file.
    void add(std::int32_t row, std::int32_t column, double weight)
    {
        links_.push_back({row, column, weight});
    }
    /// After the last one.
    void finish();
    /// Returns the weight of a link that was added; none of any other.
    std::optional<float> weight(std::int32_t row, std::int32_t column) const;

private:
    struct Link {
        std::int32_t row;
        std::int32_t column;
        double weight;
    };
    static bool before(const Link& a, const Link& b)
    {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    }

    std::vector<Link> links_; ///< ascending once finished
};

/// Gives the links of training and of the test rows' history their weights, whatever a filter or a
/// split has made of the file's ids. Throws InputError for a history of a test file that is no part
/// of what the links' file weighs.
void weigh(Dataset& data, const WeightedLinks& weighted);

} // namespace alxsim::alx
