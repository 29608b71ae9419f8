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

/// height exp(-(x - mean)^T precision (x - mean) / 2)
struct Gaussian {
    std::vector<double> mean, precision;
    double height = 1;

    double at(const std::vector<double>& x) const;
};

/// A density u(x, t) that drifts and diffuses:
///     u_t = -div(f u) + 1/2 D : grad grad u,   f(x) = A x, and perhaps a sine,
/// from a Gaussian. Liouville's equation where D is 0, else that of Fokker and Planck. Matrices are
/// [d x d], row by row.
struct Problem {
    std::size_t dimensions = 0;
    std::vector<double> drift;
    std::optional<SineForce> sine;
    std::vector<double> diffusion;
    std::vector<double> center, covariance; ///< of the Gaussian
    bool is_density = false;                ///< it integrates to 1; else its highest value is 1

    double trace() const;
    bool diffuses() const;
    Gaussian begin() const;
    /// Whether the Gaussian is a product of one in each coordinate.
    bool begins_along_axes() const;
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
    std::vector<double> origin_of(const std::vector<double>& x) const;

    const Problem& problem_;
    double time_;
    Gaussian gaussian_; ///< at that time; with a sine, in the beginning
};

} // namespace alxsim::tensor_network
