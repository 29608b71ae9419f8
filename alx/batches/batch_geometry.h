// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/workload_shape.h"
#include "alx/config.h"
#include "alx/sparse_matrix.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::alx {

/// One side of a job as far as a batch geometry follows from it. Where long rows are cut, lengths
/// are those that a batch of the default geometry keeps.
struct SideLengths {
    Admission admission = Admission::exact;
    LongRows long_rows = LongRows::refuse;
    double mean = 1;                  ///< links of a row that has some
    double lines = 0;                 ///< of default length, that all rows ask for
    std::int64_t most_lines = 1;      ///< that one row asks for
    std::vector<std::int64_t> sample; ///< lengths, in the order in which rows are batched

    /// Lines that a batch must have, for its longest row.
    std::int64_t least_lines() const { return long_rows == LongRows::split ? 1 : most_lines; }
};

/// Remembered, as is geometry_of(): both take milliseconds.
std::shared_ptr<const SideLengths> side_lengths(const SideShape& side, const AlxConfig& config,
                                                std::uint64_t seed);
/// Counts the lengths of real links, by row.
SideLengths side_lengths(const SparseMatrix& matrix, const AlxConfig& config);

/// Lines of 16 ids that a careful user of the released code has: its default of 1,024; more where
/// the longest row asks for them and is not split; fewer where `devices` batches hold all the data.
std::int64_t careful_lines(const SideLengths& side, int devices);

/// So many lines of 16 ids, in whole eights, and so many rows that lines run out first: with any
/// more there would be hardly fewer batches (0.5 %).
BatchGeometry geometry_of(const SideLengths& side, std::int64_t lines);
BatchGeometry geometry_of(const SideShape& side, const AlxConfig& config, std::uint64_t seed,
                          std::int64_t lines);

/// That of careful_lines().
inline BatchGeometry careful_geometry(const SideLengths& side, int devices)
{
    return geometry_of(side, careful_lines(side, devices));
}

/// Numbers of lines to choose from, ascending: powers of four from 64 on, up to where a batch holds
/// the longest row, or all the data.
std::vector<std::int64_t> lines_to_choose_from(const SideLengths& side);

} // namespace alxsim::alx
