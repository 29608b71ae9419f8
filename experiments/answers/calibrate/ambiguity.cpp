// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/ambiguity.h"

#include "base/portable_math.h"

#include <Eigen/SVD>

#include <cmath>

namespace alxsim::experiments {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Root mean square over the figures: nobody measures an epoch better than that.
constexpr double seen = 0.01;

/// How fast the logarithm of a value moves along its band.
double band_length(const FittedValue& value)
{
    return value.low > 0 ? portable::log(value.high / value.low) : 1.0;
}

std::vector<double> exponents_of(const VectorXd& direction, const std::vector<Index>& columns,
                                 const std::vector<FittedValue>& values)
{
    std::vector<double> exponents(values.size(), 0.0);
    double fastest = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto column = static_cast<std::size_t>(columns[i]);
        exponents[column] = direction[static_cast<Index>(i)] * band_length(values[column]);
        if (std::abs(exponents[column]) > std::abs(fastest)) {
            fastest = exponents[column];
        }
    }
    for (double& exponent : exponents) {
        exponent /= fastest;
    }
    return exponents;
}

} // namespace

Ambiguity ambiguity_of(const MatrixXd& jacobian, const std::vector<FittedValue>& values)
{
    const double scale = 1 / std::sqrt(static_cast<double>(jacobian.rows()));
    Ambiguity ambiguity;
    std::vector<Index> columns;
    for (Index i = 0; i < jacobian.cols(); ++i) {
        if (scale * jacobian.col(i).norm() < seen) {
            ambiguity.without_influence.push_back(static_cast<std::size_t>(i));
        } else {
            columns.push_back(i);
        }
    }
    if (columns.empty()) {
        return ambiguity;
    }
    // Rows of zeros make it at least as high as wide, so that every direction has a singular value.
    MatrixXd influence =
        MatrixXd::Zero(std::max(jacobian.rows(), static_cast<Index>(columns.size())),
                       static_cast<Index>(columns.size()));
    influence.topRows(jacobian.rows()) = scale * jacobian(Eigen::all, columns);
    const Eigen::JacobiSVD<MatrixXd> svd(influence, Eigen::ComputeThinV);
    for (Index i = 0; i < svd.singularValues().size(); ++i) {
        if (svd.singularValues()[i] < seen) {
            ambiguity.combinations.push_back(
                {svd.singularValues()[i], exponents_of(svd.matrixV().col(i), columns, values)});
        }
    }
    return ambiguity;
}

} // namespace alxsim::experiments
