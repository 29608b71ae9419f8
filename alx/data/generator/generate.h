// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <functional>
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

/// The same bits for the same seed on any host. Row lengths and the number of links are exactly as
/// asked, and so is locality where the rows as they are drawn have room for it; column lengths
/// nearly, as links must be distinct and near. Throws InputError for what no matrix can be, naming
/// the field.
SparseMatrix generate(const GenerateConfig& config, std::uint64_t seed);

/// The same, row by row: `row` is called with the ids of each, ascending. Memory follows rows and
/// columns, not links.
void generate(const GenerateConfig& config, std::uint64_t seed,
              const std::function<void(const std::vector<std::int32_t>& ids)>& row);

/// The locality nearest to config.locality that some order of its rows can have. Throws as
/// generate().
double reachable_locality(const GenerateConfig& config);

} // namespace alxsim::alx
