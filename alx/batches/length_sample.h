// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/degree_distribution.h"
#include "alx/config.h"
#include "base/memo.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace alxsim::alx {

/// What rows leave in batches that hold so many links.
struct KeptLengths {
    double lines_of_row = 0; ///< in the mean
    double links_share = 0;  ///< of all links
};

/// Lengths of the rows that stand for a side's rows: 100,000 of them, or as many as it has. Safe to
/// use from many threads.
class LengthSample {
public:
    LengthSample(const DegreeDistribution& distribution, std::int64_t side_rows);

    double exponent() const { return distribution_.exponent(); }
    std::int64_t rows() const { return rows_; }
    /// In the order in which they are batched, which the seed decides.
    std::shared_ptr<const std::vector<std::int64_t>> lengths(std::uint64_t seed) const;
    /// The same, counted: length and rows, ascending.
    const std::vector<std::pair<std::int64_t, std::int64_t>>& rows_of_length() const
    {
        return rows_of_length_;
    }

    /// A row longer than `capacity` links is cut.
    KeptLengths kept(std::int64_t capacity, std::int64_t line_length, Admission admission) const;

private:
    using Sums = std::vector<std::int64_t>; ///< over the first i of rows_of_length_

    std::shared_ptr<const Sums> lines_of(std::int64_t line_length, Admission admission) const;

    DegreeDistribution distribution_;
    std::int64_t rows_;
    std::vector<std::pair<std::int64_t, std::int64_t>> rows_of_length_;
    Sums rows_below_;
    Sums links_below_;
    mutable Memo<std::pair<std::int64_t, Admission>, std::shared_ptr<const Sums>> lines_below_;
    /// By seed. Up to a megabyte each, and a job asks for one.
    mutable Memo<std::uint64_t, std::shared_ptr<const std::vector<std::int64_t>>> lengths_{2};
};

} // namespace alxsim::alx
