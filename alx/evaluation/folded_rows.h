// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/solvers/normal_equations.h"
#include "alx/sparse_matrix.h"
#include "alx/tables/factor_table.h"

#include <cstdint>

namespace alxsim::alx {

/// [end - begin x dim]: the rows [begin, end) of `history`, each folded in (solved for from its
/// links), in f64 for a table in f64, else in f32. `equations` must be fixed to the columns'
/// Gramian.
RowStore folded_in(const AlxConfig& config, const SparseMatrix& history, std::int64_t begin,
                   std::int64_t end, const NormalEquations& equations, const FactorTable& columns);

} // namespace alxsim::alx
