// SPDX-License-Identifier: Apache-2.0
#include "report/fit.h"

#include "base/portable_math.h"

#include <Eigen/QR>

#include <bitset>
#include <cmath>
#include <limits>

namespace alxsim::report {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Eigen::Index terms_without_log = 3;
constexpr Eigen::Index all_terms = 4;
constexpr unsigned constant_alone = 0b0010;

/// What squared errors of numbers of size one may be by rounding alone.
constexpr double rounding = 1e-20;

/// The terms 1/N, 1, N and, with_log, log2(N) of each point: a row per point, divided by its time.
MatrixXd relative_terms(const std::vector<CoreTime>& curve, bool with_log)
{
    MatrixXd terms(static_cast<Eigen::Index>(curve.size()),
                   with_log ? all_terms : terms_without_log);
    for (Eigen::Index i = 0; i < terms.rows(); ++i) {
        const CoreTime& point = curve[static_cast<std::size_t>(i)];
        const auto cores = static_cast<double>(point.cores);
        terms.row(i).head(terms_without_log) << 1 / cores, 1, cores;
        if (with_log) {
            terms(i, terms_without_log) = portable::log2(cores);
        }
        terms.row(i) /= point.seconds;
    }
    return terms;
}

struct Solution {
    VectorXd coefficients;
    double error = 0; ///< sum of squares that is left
    std::size_t terms = 0;
};

/// Least squares over the chosen columns (bits of `chosen`); the other coefficients are 0. Columns
/// are scaled to length one first: they differ by orders of magnitude.
Solution solve_subset(const MatrixXd& terms, const VectorXd& target, unsigned chosen)
{
    MatrixXd some = MatrixXd::Zero(terms.rows(), terms.cols());
    for (Eigen::Index column = 0; column < terms.cols(); ++column) {
        if ((chosen >> column) & 1U) {
            some.col(column) = terms.col(column) / terms.col(column).norm();
        }
    }
    Solution solution;
    solution.coefficients = some.colPivHouseholderQr().solve(target);
    for (Eigen::Index column = 0; column < terms.cols(); ++column) {
        solution.coefficients[column] /= terms.col(column).norm();
    }
    solution.error = (terms * solution.coefficients - target).squaredNorm();
    solution.terms = std::bitset<all_terms>(chosen).count();
    return solution;
}

/// The best without a negative coefficient, found by trying all subsets, small ones first: another
/// term must bring more than rounding.
Solution solve_not_negative(const MatrixXd& terms, const VectorXd& target)
{
    Solution best{VectorXd::Zero(terms.cols()), target.squaredNorm(), 0};
    const double slack = rounding * static_cast<double>(terms.rows());
    for (std::size_t count = 1; count <= static_cast<std::size_t>(terms.cols()); ++count) {
        for (unsigned chosen = 1; chosen < 1U << terms.cols(); ++chosen) {
            if (std::bitset<all_terms>(chosen).count() != count) {
                continue;
            }
            const Solution candidate = solve_subset(terms, target, chosen);
            if (candidate.coefficients.minCoeff() >= 0 && candidate.error + slack < best.error) {
                best = candidate;
            }
        }
    }
    return best;
}

/// 1 - (what is left)/(what is left of the best constant).
double r2_of(const MatrixXd& terms, const VectorXd& target, const Solution& solution)
{
    const double spread = solve_subset(terms, target, constant_alone).error;
    return spread > rounding * static_cast<double>(terms.rows()) ? 1 - solution.error / spread : 1;
}

Fit to_fit(const MatrixXd& terms, const VectorXd& target, const Solution& solution)
{
    const VectorXd& coefficients = solution.coefficients;
    Fit fit;
    fit.a_over_n = coefficients[0];
    fit.constant = coefficients[1];
    fit.per_core = coefficients[2];
    if (terms.cols() == all_terms) {
        fit.log = coefficients[terms_without_log];
    }
    fit.r2 = r2_of(terms, target, solution);
    fit.largest_residual = (terms * coefficients - target).cwiseAbs().maxCoeff();
    fit.spare_points = static_cast<std::size_t>(terms.rows()) - solution.terms;
    return fit;
}

/// What is left for each point that no term uses up.
double variance_left(const Solution& solution, Eigen::Index points)
{
    const auto spare = static_cast<double>(points) - static_cast<double>(solution.terms);
    return spare > 0 ? solution.error / spare : std::numeric_limits<double>::infinity();
}

} // namespace

double Fit::at(double cores) const
{
    return a_over_n / cores + floor_at(cores);
}

double Fit::floor_at(double cores) const
{
    return constant + log.value_or(0) * portable::log2(cores) + per_core * cores;
}

std::optional<Fit> fit_of(const std::vector<CoreTime>& curve)
{
    if (curve.size() < points_for_fit) {
        return std::nullopt;
    }
    const MatrixXd terms = relative_terms(curve, false);
    const VectorXd target = VectorXd::Ones(terms.rows());
    const Solution plain = solve_not_negative(terms, target);
    if (curve.size() >= points_for_log && plain.error > rounding * target.squaredNorm()) {
        const MatrixXd more_terms = relative_terms(curve, true);
        const Solution with_log = solve_not_negative(more_terms, target);
        if (with_log.coefficients[terms_without_log] > 0 &&
            variance_left(with_log, terms.rows()) < 0.5 * variance_left(plain, terms.rows())) {
            return to_fit(more_terms, target, with_log);
        }
    }
    return to_fit(terms, target, plain);
}

Fit fit_part(const std::vector<CoreTime>& curve, const std::vector<double>& seconds,
             const Fit& whole)
{
    const MatrixXd terms = relative_terms(curve, whole.log.has_value());
    VectorXd target(terms.rows());
    for (Eigen::Index i = 0; i < target.size(); ++i) {
        const auto point = static_cast<std::size_t>(i);
        target[i] = seconds.at(point) / curve[point].seconds;
    }
    return to_fit(terms, target, solve_not_negative(terms, target));
}

} // namespace alxsim::report
