// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/linear/random_projection.h"
#include "spmd/step_builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::spmd {

/// Where the numbers of a projection stand.
struct ProjectionArrays {
    Array x;                     ///< [vectors x N / devices]
    std::vector<Array> matrices; ///< [m_k x n_k], the first [m_1 x n_1 / devices]
    Array projected;             ///< [vectors x M], the same on all devices
};

/// Adds the ops of a projection: one product a mode, the last mode first, in phases "mode.K". The
/// devices of `axis`, all that there are, share the first mode, so that what they add up in the end
/// is as small as it gets. They do it in pairs: 1, 2, 4, ... devices give the same bits. Sums of
/// bf16 numbers over that mode are f32.
ProjectionArrays add_projection(StepBuilder& step, const RandomProjection& projection,
                                std::int64_t vectors, model::DType dtype, const std::string& axis);

} // namespace alxsim::spmd
