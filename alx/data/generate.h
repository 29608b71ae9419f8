// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// A made-up web: what `alxsim dataset stats` says of a real one.
struct GenerateConfig {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t links = 0;
    std::int64_t min_links = 1;   ///< of a row
    double row_exponent = 2.2;    ///< of the tail of row lengths
    double column_exponent = 2.0; ///< of the tail of column lengths
    double locality = 0.8;        ///< share of links near their row, see Neighbourhood
};

/// Lengths with a given tail and a given mean: p(n) ~ (n + shift)^-exponent on [shortest, longest]
/// (Zipf-Mandelbrot), with the shift at which the mean is the given one.
class ShiftedPowerLaw {
public:
    /// Throws InputError unless shortest < mean < (shortest + longest) / 2.
    ShiftedPowerLaw(std::int64_t shortest, std::int64_t longest, double exponent, double mean);

    /// `count` lengths in random order that add up to `total`, count * mean rounded. Each is the
    /// mean of one of `count` equal quantile ranges, so that the heavy tail leaves the sum alone.
    std::vector<std::int64_t> sample(std::int64_t count, std::int64_t total,
                                     std::uint64_t seed) const;

private:
    std::int64_t shortest_;
    std::int64_t longest_;
    double exponent_;
    double shift_ = 0;
};

/// The same bits for the same seed on any host. Row lengths, the number of links and locality are
/// exactly as asked; column lengths nearly, as links must be distinct and near. Throws InputError
/// for what no matrix can be, naming the field.
SparseMatrix generate(const GenerateConfig& config, std::uint64_t seed);

} // namespace alxsim::alx
