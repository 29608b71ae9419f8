// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <functional>

namespace alxsim::experiments {

/// Maps a place in the unit box [0, 1]^n to m residuals.
using BoxResiduals = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

/// Where a sum of squares is least.
struct BoxFit {
    Eigen::VectorXd at;        ///< [n]
    Eigen::VectorXd residuals; ///< [m] there
    Eigen::MatrixXd jacobian;  ///< [m, n] there: change of a residual across the whole box
    double cost() const { return residuals.squaredNorm(); }
};

/// Residuals and their one-sided differences at one place; n + 1 calls.
BoxFit linearized(const BoxResiduals& residuals, const Eigen::VectorXd& at);

/// Nonlinear least squares in the unit box: Levenberg-Marquardt, steps cut off at the box, and what
/// the gradient presses against its wall held there (Kanzow, Yamashita, Fukushima 2004, projected).
/// Finds a local minimum.
BoxFit least_squares(const BoxResiduals& residuals, const Eigen::VectorXd& start);

/// The best from `start` and from `more` places of a Latin hypercube drawn with `seed`; an exact
/// fit ends the search.
BoxFit least_squares(const BoxResiduals& residuals, const Eigen::VectorXd& start, int more,
                     std::uint64_t seed);

} // namespace alxsim::experiments
