// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/tables/row_store.h"
#include "base/host_pool.h"

#include <vector>

namespace alxsim::alx {

/// [rows]: the Euclidean length of each row, and a little more: no score of the row is greater than
/// that times the query's length (Cauchy and Schwarz), with all that rounding can add to a sum of
/// dim() products in f32 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). NaN
/// of a row that holds one.
std::vector<float> reaches_of(const RowStore& rows, HostPool& pool);

/// The Euclidean length of a query.
double length_of(const RowStore& queries, std::int64_t query);

/// A row that reaches no farther scores no more than `bound` for a query of `length` and `dim`
/// numbers. Negative, so that none is meant, where that can be said of no row.
double reach_below(float bound, double length, int dim);

} // namespace alxsim::alx
