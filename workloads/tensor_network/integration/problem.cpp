// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/problem.h"

#include "base/portable_math.h"
#include "spmd/linear/eigen_matrices.h"
#include "workloads/tensor_network/integration/angles.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using Matrix = spmd::EigenRows<double>;
using Vector = Eigen::VectorXd;

/// Steps of Runge and Kutta's method: its errors are far below those of what is compared.
constexpr int steps_for_gaussian = 4000;
constexpr int steps_of_a_point = 150;

Matrix matrix_of(const std::vector<double>& numbers)
{
    const auto d = static_cast<std::int64_t>(std::llround(std::sqrt(numbers.size())));
    return Eigen::Map<const Matrix>(numbers.data(), d, d);
}

/// y after `time` of y' = rate(y).
template <class State, class Rate>
State after(double time, int steps, State y, Rate rate)
{
    const double h = time / steps;
    for (int step = 0; step < steps; ++step) {
        const State k1 = rate(y);
        const State k2 = rate(State(y + h / 2 * k1));
        const State k3 = rate(State(y + h / 2 * k2));
        const State k4 = rate(State(y + h * k3));
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return y;
}

Gaussian gaussian_of(const std::vector<double>& mean, const Matrix& covariance, double height)
{
    const Matrix precision = covariance.inverse();
    return {mean, {precision.data(), precision.data() + precision.size()}, height};
}

} // namespace

double Problem::trace() const
{
    double sum = 0;
    for (std::size_t i = 0; i < dimensions; ++i) {
        sum += drift[i * dimensions + i];
    }
    return sum;
}

bool Problem::diffuses() const
{
    return std::any_of(diffusion.begin(), diffusion.end(), [](double x) { return x != 0; });
}

double Gaussian::at(const std::vector<double>& x) const
{
    const std::size_t d = mean.size();
    double exponent = 0;
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            exponent -= precision[i * d + j] * (x[i] - mean[i]) * (x[j] - mean[j]) / 2;
        }
    }
    return height * portable::exp(exponent);
}

Gaussian Problem::begin() const
{
    const Matrix matrix = matrix_of(covariance);
    double height = 1;
    if (is_density) {
        height = 1 / std::sqrt((2 * pi * matrix).determinant());
    }
    return gaussian_of(center, matrix, height);
}

bool Problem::begins_along_axes() const
{
    for (std::size_t i = 0; i < covariance.size(); ++i) {
        if (covariance[i] != 0 && i / dimensions != i % dimensions) {
            return false;
        }
    }
    return true;
}

ExactSolution::ExactSolution(const Problem& problem, double time)
    : problem_(problem),
      time_(time),
      gaussian_(problem.begin())
{
    if (problem.sine) {
        return;
    }
    const auto d = static_cast<std::int64_t>(problem.dimensions);
    const Matrix a = matrix_of(problem.drift);
    const Matrix diffusion = matrix_of(problem.diffusion);
    const Matrix begin = matrix_of(problem.covariance);
    const Matrix covariance = after(time, steps_for_gaussian, begin, [&](const Matrix& s) {
        return Matrix(a * s + s * a.transpose() + diffusion);
    });
    const Vector mean =
        after(time, steps_for_gaussian, Vector(Eigen::Map<const Vector>(problem.center.data(), d)),
              [&](const Vector& m) { return Vector(a * m); });
    gaussian_ =
        gaussian_of({mean.data(), mean.data() + d}, covariance,
                    gaussian_.height * std::sqrt(begin.determinant() / covariance.determinant()));
}

/// Backwards along the characteristic through x.
std::vector<double> ExactSolution::origin_of(const std::vector<double>& x) const
{
    const auto d = static_cast<std::int64_t>(problem_.dimensions);
    const Matrix a = matrix_of(problem_.drift);
    const SineForce& force = *problem_.sine;
    const Vector origin =
        after(time_, steps_of_a_point, Vector(Eigen::Map<const Vector>(x.data(), d)),
              [&](const Vector& y) {
                  Vector rate = -(a * y);
                  rate(static_cast<std::int64_t>(force.on)) -=
                      force.strength * sine(y(static_cast<std::int64_t>(force.of)));
                  return rate;
              });
    return {origin.data(), origin.data() + d};
}

/// Along a characteristic u changes by -div f u; a sine force on another coordinate than its own
/// has no divergence.
double ExactSolution::at(const std::vector<double>& x) const
{
    return problem_.sine ? portable::exp(-problem_.trace() * time_) * gaussian_.at(origin_of(x))
                         : gaussian_.at(x);
}

} // namespace alxsim::tensor_network
