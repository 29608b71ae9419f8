// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/least_squares.h"

#include "model/uncertainty.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <vector>

namespace alxsim::experiments {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Share of the box: far above the rounding of times to picoseconds, well below what bends a curve.
constexpr double difference_step = 1e-2;
constexpr int most_iterations = 40;
constexpr double exact_cost = 1e-11; ///< residuals of 3e-6: picoseconds in an op of a microsecond
constexpr double least_step = 1e-7;
constexpr double clearly_less = 1 - 1e-6; ///< else the earlier start, nearer the centre, stays
constexpr double most_damping = 1e6;

/// Coordinates at a wall that the descent presses against: they stay.
std::vector<Eigen::Index> free_coordinates(const BoxFit& fit)
{
    const VectorXd gradient = fit.jacobian.transpose() * fit.residuals;
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < fit.at.size(); ++i) {
        const bool held =
            (fit.at[i] <= 0 && gradient[i] > 0) || (fit.at[i] >= 1 && gradient[i] < 0);
        if (!held) {
            free.push_back(i);
        }
    }
    return free;
}

/// Solves (J'J + damping diag(J'J)) step = -J'r over the free coordinates; then cuts off at the
/// box.
VectorXd next_place(const BoxFit& fit, double damping)
{
    const std::vector<Eigen::Index> free = free_coordinates(fit);
    VectorXd next = fit.at;
    if (free.empty()) {
        return next;
    }
    const MatrixXd jacobian = fit.jacobian(Eigen::all, free);
    MatrixXd normal = jacobian.transpose() * jacobian;
    // A coordinate without influence has a diagonal of zero, and must stay where it is.
    normal.diagonal() += (damping * normal.diagonal().array() + 1e-12).matrix();
    const VectorXd step = normal.ldlt().solve(-jacobian.transpose() * fit.residuals);
    next(free) += step;
    return next.cwiseMax(0).cwiseMin(1);
}

} // namespace

BoxFit linearized(const BoxResiduals& residuals, const VectorXd& at)
{
    BoxFit fit{at, residuals(at), {}};
    fit.jacobian.resize(fit.residuals.size(), at.size());
    for (Eigen::Index i = 0; i < at.size(); ++i) {
        const double step = at[i] + difference_step <= 1 ? difference_step : -difference_step;
        VectorXd beside = at;
        beside[i] += step;
        fit.jacobian.col(i) = (residuals(beside) - fit.residuals) / step;
    }
    return fit;
}

BoxFit least_squares(const BoxResiduals& residuals, const VectorXd& start)
{
    BoxFit fit = linearized(residuals, start);
    double damping = 1e-3;
    for (int i = 0; i < most_iterations && fit.cost() > exact_cost && damping < most_damping; ++i) {
        const VectorXd next = next_place(fit, damping);
        if ((next - fit.at).norm() < least_step) {
            break;
        }
        if (residuals(next).squaredNorm() < fit.cost()) {
            fit = linearized(residuals, next);
            damping = std::max(damping / 10, 1e-9);
        } else {
            damping *= 10;
        }
    }
    return fit;
}

namespace {

/// [places x unknowns] in the unit box.
Eigen::MatrixXd latin_places(int places, Eigen::Index unknowns, std::uint64_t seed)
{
    Eigen::MatrixXd result(places, unknowns);
    for (Eigen::Index unknown = 0; unknown < unknowns; ++unknown) {
        const std::vector<double> column =
            model::latin_column(places, seed, std::to_string(unknown));
        result.col(unknown) = VectorXd::Map(column.data(), places);
    }
    return result;
}

} // namespace

BoxFit least_squares(const BoxResiduals& residuals, const VectorXd& start, int more,
                     std::uint64_t seed)
{
    BoxFit best = least_squares(residuals, start);
    const Eigen::MatrixXd places = latin_places(more, start.size(), seed);
    for (int i = 0; i < more && best.cost() > exact_cost; ++i) {
        BoxFit fit = least_squares(residuals, VectorXd(places.row(i)));
        if (fit.cost() < clearly_less * best.cost()) {
            best = std::move(fit);
        }
    }
    return best;
}

} // namespace alxsim::experiments
