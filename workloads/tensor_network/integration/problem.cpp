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

double Problem::height() const
{
    double height = 1;
    for (std::size_t i = 0; i < dimensions && is_density; ++i) {
        height /= std::sqrt(2 * pi) * widths[i];
    }
    return height;
}

ExactSolution::ExactSolution(const Problem& problem, double time) : problem_(problem), time_(time)
{
    if (problem.sine) {
        return;
    }
    const auto d = static_cast<std::int64_t>(problem.dimensions);
    const Matrix a = matrix_of(problem.drift);
    const Matrix diffusion = matrix_of(problem.diffusion);
    Matrix begin = Matrix::Zero(d, d);
    for (std::int64_t i = 0; i < d; ++i) {
        const double width = problem.widths[static_cast<std::size_t>(i)];
        begin(i, i) = width * width;
    }
    const Matrix covariance = after(time, steps_for_gaussian, begin, [&](const Matrix& s) {
        return Matrix(a * s + s * a.transpose() + diffusion);
    });
    const Vector center = Eigen::Map<const Vector>(problem.center.data(), d);
    const Vector mean =
        after(time, steps_for_gaussian, center, [&](const Vector& m) { return Vector(a * m); });
    const Matrix precision = covariance.inverse();
    mean_.assign(mean.data(), mean.data() + d);
    precision_.assign(precision.data(), precision.data() + d * d);
    height_ = problem.height() * std::sqrt(begin.determinant() / covariance.determinant());
}

/// Along the characteristic through x, on which u changes by -div f u; a sine force on another
/// coordinate than its own has no divergence.
double ExactSolution::at_origin_of(std::vector<double> x) const
{
    const auto d = static_cast<std::int64_t>(problem_.dimensions);
    const Matrix a = matrix_of(problem_.drift);
    const SineForce& force = *problem_.sine;
    const Vector origin =
        after(time_, time_ == 0 ? 0 : steps_of_a_point,
              Vector(Eigen::Map<const Vector>(x.data(), d)), [&](const Vector& y) {
                  Vector rate = -(a * y);
                  rate(static_cast<std::int64_t>(force.on)) -=
                      force.strength * sine(y(static_cast<std::int64_t>(force.of)));
                  return rate;
              });
    double exponent = -problem_.trace() * time_;
    for (std::size_t i = 0; i < problem_.dimensions; ++i) {
        const double from_center =
            (origin(static_cast<std::int64_t>(i)) - problem_.center[i]) / problem_.widths[i];
        exponent -= from_center * from_center / 2;
    }
    return problem_.height() * portable::exp(exponent);
}

double ExactSolution::at(const std::vector<double>& x) const
{
    if (problem_.sine) {
        return at_origin_of(x);
    }
    const std::size_t d = problem_.dimensions;
    double exponent = 0;
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            exponent -= precision_[i * d + j] * (x[i] - mean_[i]) * (x[j] - mean_[j]) / 2;
        }
    }
    return height_ * portable::exp(exponent);
}

} // namespace alxsim::tensor_network
