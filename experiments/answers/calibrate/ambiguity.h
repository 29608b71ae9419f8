// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/calibrate/points.h"

#include <Eigen/Core>

#include <vector>

namespace alxsim::experiments {

/// Values without influence and combinations that the figures do not see.
struct Ambiguity {
    struct Combination {
        double effect = 0; ///< root mean square change of the figures over the band, relative
        /// How fast each value moves along it: 1 for the fastest, 0 not at all.
        std::vector<double> exponents;
    };
    std::vector<std::size_t> without_influence; ///< places in the list of values
    std::vector<Combination> combinations;
};

/// `jacobian` [figures, values]: change of a figure's logarithm over a value's whole band. What
/// moves the figures by less than 1 % over the band is not seen; of the values that are seen, the
/// singular vectors with as small a singular value are combinations that are not.
Ambiguity ambiguity_of(const Eigen::MatrixXd& jacobian, const std::vector<FittedValue>& values);

} // namespace alxsim::experiments
