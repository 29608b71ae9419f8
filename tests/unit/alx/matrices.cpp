// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

#include "base/numbers/random.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace alxsim::alx {

SparseMatrix matrix_of(const std::vector<std::vector<std::int32_t>>& rows, std::int32_t columns)
{
    SparseMatrix matrix;
    matrix.columns = columns;
    for (const auto& row : rows) {
        matrix.append(row);
    }
    return matrix;
}

SparseMatrix power_law_matrix(std::int32_t rows, std::int32_t columns, std::uint64_t seed)
{
    SplitMix64 random(seed);
    std::vector<std::vector<std::int32_t>> lists;
    for (std::int32_t row = 0; row < rows; ++row) {
        const auto length =
            static_cast<std::size_t>(2.0 / std::sqrt(to_unit_interval(random.next())));
        std::set<std::int32_t> ids;
        for (std::size_t i = 0; i < std::min<std::size_t>(length, 60); ++i) {
            const double u = to_unit_interval(random.next());
            ids.insert(static_cast<std::int32_t>(u * u * u * columns));
        }
        lists.emplace_back(ids.begin(), ids.end());
    }
    return matrix_of(lists, columns);
}

SparseMatrix planted_matrix(std::int32_t rows, std::int32_t columns, std::int32_t groups,
                            std::int32_t links_per_row, std::uint64_t seed)
{
    SplitMix64 random(seed);
    const std::int32_t size = columns / groups;
    std::vector<std::vector<std::int32_t>> lists;
    for (std::int32_t row = 0; row < rows; ++row) {
        std::set<std::int32_t> ids;
        while (static_cast<std::int32_t>(ids.size()) < links_per_row) {
            const bool own = random.below(10) < 9;
            const auto id =
                own ? (row % groups) * size +
                          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(size)))
                    : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(columns)));
            ids.insert(id);
        }
        lists.emplace_back(ids.begin(), ids.end());
    }
    return matrix_of(lists, columns);
}

} // namespace alxsim::alx
