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
    double mean = 1;                  ///< links of a row that has some
    double lines = 0;                 ///< of default length, that all rows ask for
    std::int64_t most_lines = 1;      ///< that one row asks for, and a batch must hold
    std::vector<std::int64_t> sample; ///< lengths, in the order in which rows are batched
};

/// Remembered, as is the next: both take milliseconds.
std::shared_ptr<const SideLengths> side_lengths(const SideShape& side, const AlxConfig& config,
                                                std::uint64_t seed);
/// Of real links, by row.
SideLengths side_lengths(const SparseMatrix& matrix, const AlxConfig& config);

/// What a careful user of the released code has: its default of 1,024 lines of 16 ids; more where
/// the longest row asks for them; fewer where `devices` batches hold all the data. And so many rows
/// that lines run out first: with any more there would be hardly fewer batches (0.5 %).
BatchGeometry careful_geometry(const SideLengths& side, int devices);
BatchGeometry careful_geometry(const SideShape& side, const AlxConfig& config, std::uint64_t seed,
                               int devices);

} // namespace alxsim::alx
