// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/folded_rows.h"

#include <vector>

namespace alxsim::alx {

RowStore folded_in(const AlxConfig& config, const SparseMatrix& history, std::int64_t begin,
                   std::int64_t end, const NormalEquations& equations, const FactorTable& columns)
{
    const bool in_f64 = config.table_dtype == model::DType::f64;
    RowStore queries(end - begin, columns.dim(), in_f64 ? model::DType::f64 : model::DType::f32);
    std::vector<std::int32_t> ids;
    for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
        history.read(row, ids);
        GatheredRows links{&columns.store(), ids.data(), 0, history.length(row)};
        links.weights = history.weights_of(row);
        equations.solve(links, queries, row - begin);
    }
    return queries;
}

} // namespace alxsim::alx
