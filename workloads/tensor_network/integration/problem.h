// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::tensor_network {

/// A force on one coordinate that is a multiple of the sine of another: a pendulum's.
struct SineForce {
    std::size_t on = 0, of = 0;
    double strength = 0;
};

/// A density u(x, t) that drifts and diffuses:
///     u_t = -div(f u) + 1/2 D : grad grad u,   f(x) = A x, and perhaps a sine,
/// from a Gaussian along the axes. Liouville's equation where D is 0, else that of Fokker and
/// Planck. Matrices are [d x d], row by row.
struct Problem {
    std::size_t dimensions = 0;
    std::vector<double> drift;
    std::optional<SineForce> sine;
    std::vector<double> diffusion;
    std::vector<double> center, widths; ///< of the Gaussian: its means and standard deviations
    bool is_density = false;            ///< it integrates to 1; else its highest value is 1

    double trace() const;
    bool diffuses() const;
    /// The Gaussian's highest value.
    double height() const;
    bool has_exact_solution() const { return !sine || !diffuses(); }
};

/// u(x, time) of a problem that has it: a Gaussian whose mean and covariance follow ordinary
/// differential equations where the drift is linear; else what the point came from, where nothing
/// diffuses.
class ExactSolution {
public:
    ExactSolution(const Problem& problem, double time);
    double at(const std::vector<double>& x) const;

private:
    double at_origin_of(std::vector<double> x) const;

    const Problem& problem_;
    double time_;
    std::vector<double> mean_, precision_; ///< of a Gaussian
    double height_ = 0;
};

} // namespace alxsim::tensor_network
