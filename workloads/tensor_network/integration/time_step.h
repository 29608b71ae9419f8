// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/tensor_network/integration/coordinates.h"

namespace alxsim::tensor_network {

/// How a density is integrated over time.
struct IntegrationMethod {
    Adaptation adaptation;
    double time_step = 0;
    double tolerance = 1e-8;        ///< of the rounding after each step
    double stage_tolerance = 1e-11; ///< of those within it, of rates and of what they lead to
};

/// A density in coordinates y = gamma x.
struct Density {
    Train train;
    spmd::Array gamma; ///< [d x d] on all devices
};

/// Appends a step of Runge and Kutta's method, of density and coordinates together, with the
/// rounding behind it.
Density add_time_step(Building& building, const IntegrationMethod& method, const Problem& problem,
                      const Grid& grid, const Density& density);

/// The same that each stage begins with: by what the coordinates move at a density.
CoordinateMotion add_motion_of(Building& building, const IntegrationMethod& method,
                               const Problem& problem, const Grid& grid, const Density& density);

} // namespace alxsim::tensor_network
