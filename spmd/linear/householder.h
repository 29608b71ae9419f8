// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <cstdint>
#include <string>

namespace alxsim::spmd {

/// Columns of a matrix that are reduced one after the other: "working" of `workspace` [rows x
/// columns], in f32.
struct HouseholderPanel {
    std::string phase;
    std::string workspace;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// What one column takes: its reflector v, and A -= tau v (v^T A) on the whole panel under a mask,
/// as in XLA's open expander (openxla/xla, qr_expander.cc). Both products on the vector unit, as
/// the matrix-vector product of CG.
model::OpGraph householder_column(const HouseholderPanel& panel);

} // namespace alxsim::spmd
