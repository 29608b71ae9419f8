// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_builder.h"

namespace alxsim::transformer {

using spmd::Array;
using spmd::CollectiveUse;
using spmd::MovedCounts;
using spmd::Numbers;
using spmd::Shape;
using spmd::StepBuilder;
using spmd::Touch;

/// The arrays of one parameter, as a device has it.
struct Weight {
    Array value;
    Array gradient;
    Array scales = {}; ///< of a value in 8 bits
};

} // namespace alxsim::transformer
