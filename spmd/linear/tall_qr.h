// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "spmd/linear/matrices.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::spmd {

/// a [rows x columns] = q r: q [rows x columns] with orthonormal columns, r [columns x columns]
/// upper triangular with no negative number on its diagonal, which makes both unique where the
/// columns are independent. By Householder reflectors; float or double; row-major. Throws
/// std::logic_error where rows < columns.
template <class Real>
void tall_qr(const Real* a, std::int64_t rows, std::int64_t columns, Real* q, Real* r);

/// Adds the ops of the same, Q formed, as XLA's open expander has them (openxla/xla,
/// qr_expander.cc), one matrix after the other: "I think we implement batched QR by looping on all
/// platforms" (jax issue 8542, 2021-11). Panels of 128 columns, in each column by column on shapes
/// that do not shrink; the rest in products, by the compact WY representation (Schreiber, Van Loan
/// 1989). That the TPU's compiler does the same is assumed. Returns the index of the last op, on
/// which `effect` goes.
int add_tall_qr(model::OpGraph& graph, const Matrices& a, const std::string& q,
                const std::string& r, int after, std::shared_ptr<const model::Effect> effect);

/// The fewest operations of a Householder QR with its Q formed: 4 n^2 (m - n / 3). Golub and Van
/// Loan, Matrix Computations, 4th edition, sections 5.2.2 (R) and 5.1.6 (as much again for Q).
double tall_qr_operations(std::int64_t rows, std::int64_t columns);

} // namespace alxsim::spmd
