// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::alx {

/// Why a matrix [dim x dim], in C order, is not symmetric positive definite, as f64 tells: "row 0,
/// column 1 is 2, row 1, column 0 is 5: it is not symmetric". "" where it is. Takes dim^3 / 3
/// operations.
std::string why_not_definite(const double* matrix, int dim);

} // namespace alxsim::alx
