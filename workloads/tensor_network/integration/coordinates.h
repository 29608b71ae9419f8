// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/tensor_network/integration/operator_train.h"

namespace alxsim::tensor_network {

/// Which coordinates y = gamma x a density is kept in.
enum class CoordinateMode {
    fixed,    ///< gamma stays the identity
    full,     ///< gamma' = C gamma with any C
    rotation, ///< with an antisymmetric one
};

/// By what the motion of coordinates is chosen.
struct Adaptation {
    CoordinateMode mode = CoordinateMode::fixed;
    double coarse_tolerance = 1e-3; ///< of the train whose tangent space is meant
    double tau = 0.1;               ///< time in which a normal component is to be undone
    double lambda = 3e-3;           ///< over the largest of C's terms; infinite: C is 0
};

/// What moves them at an instant.
struct CoordinateMotion {
    spmd::Array c;      ///< [d x d]
    spmd::Array normal; ///< [1 x 2]: the norm of the normal component without C, and with it
};

/// The C that minimizes |(I - P)(v_t(C) + v / tau)|^2 + lambda^2 |C|^2, a linear least squares
/// problem by its normal equations, P projecting to the tangent space of trains at v rounded to the
/// coarse tolerance (Dektor, Venturi 2023, doi 10.1007/s42967-023-00357-8). All inner products of
/// normal components are those of the whole minus those of the projections: contractions of trains,
/// which the devices share, and sums of small matrices.
CoordinateMotion add_coordinate_motion(Building& building, const std::string& name,
                                       const Adaptation& adaptation, const Problem& problem,
                                       const Grid& grid, const DerivedTrain& density,
                                       spmd::Array gamma);

} // namespace alxsim::tensor_network
