// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/generate.h"
#include "alx/sparse_matrix.h"
#include "base/json_document.h"

namespace alxsim::alx {

/// Sizes, lengths of rows and columns with the power laws of their tails, self-links, locality, and
/// under `generate` the fields with which a study makes a matrix like it.
Json matrix_statistics(const SparseMatrix& matrix);

/// What makes a matrix like this one.
GenerateConfig config_like(const SparseMatrix& matrix);

} // namespace alxsim::alx
