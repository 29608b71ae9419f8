// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// The tail of a distribution of lengths, as a power law p(n) ~ n^-exponent for n >= begin.
struct PowerLawTail {
    double exponent = 0; ///< 0: too few lengths for an estimate
    std::int64_t begin = 0;
    std::int64_t samples = 0;
    double distance = 0; ///< Kolmogorov-Smirnov, between data and fit
};

/// Maximum likelihood, with the begin at which the distance is least, among those with at least 50
/// lengths in the tail (Clauset, Shalizi, Newman, SIAM Review 51, 2009, eq. 3.7).
PowerLawTail fit_tail(std::vector<std::int64_t> lengths);

/// The columns that are near a row: of matching ids where both sides are scaled to the same length,
/// up to 1/32 of the columns, at least 8, to either side.
struct Neighbourhood {
    Neighbourhood(std::int32_t rows, std::int32_t columns);

    std::int32_t begin(std::int32_t row) const;
    std::int32_t end(std::int32_t row) const;

    std::int32_t rows;
    std::int32_t columns;
    std::int32_t distance;
};

/// Share of links whose column is near their row.
double locality(const SparseMatrix& matrix);

std::vector<std::int64_t> row_lengths(const SparseMatrix& matrix);

} // namespace alxsim::alx
