// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/host_train.h"

#include "spmd/linear/eigen_matrices.h"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <stdexcept>

namespace alxsim::tensor_network {
namespace {

using Matrix = spmd::EigenRows<double>;

Eigen::Map<const Matrix> view(const std::vector<double>& numbers, std::int64_t rows)
{
    return {numbers.data(), rows, static_cast<std::int64_t>(numbers.size()) / rows};
}

std::vector<double> values_of(const Matrix& matrix)
{
    return {matrix.data(), matrix.data() + matrix.size()};
}

} // namespace

double numbers_of_tensor(const std::vector<std::int64_t>& sizes)
{
    double numbers = 1;
    for (const std::int64_t size : sizes) {
        numbers *= static_cast<double>(size);
    }
    return numbers;
}

Json count_json(double count)
{
    return count < 9e15 ? Json(static_cast<std::int64_t>(count)) : Json(count);
}

std::int64_t numbers_of_train(const std::vector<std::int64_t>& sizes,
                              const std::vector<std::int64_t>& ranks)
{
    std::int64_t numbers = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        numbers += ranks[k] * sizes[k] * ranks[k + 1];
    }
    return numbers;
}

std::vector<double> full_tensor(const HostTrain& train)
{
    std::vector<double> all = train.cores.front(); // [numbers so far x rank]
    for (std::size_t k = 1; k < train.legs(); ++k) {
        const Matrix product = view(all, static_cast<std::int64_t>(all.size()) / train.ranks[k]) *
                               view(train.cores[k], train.ranks[k]);
        all = values_of(product);
    }
    return all;
}

HostTrain train_of(const std::vector<double>& tensor, const std::vector<std::int64_t>& sizes,
                   double tolerance)
{
    const std::size_t legs = sizes.size();
    HostTrain train{sizes, std::vector<std::int64_t>(legs + 1, 1), {}};
    const double dropped_at_most =
        tolerance * view(tensor, 1).norm() /
        std::sqrt(static_cast<double>(std::max<std::size_t>(legs, 2) - 1));
    Matrix rest = view(tensor, 1);
    for (std::size_t k = 0; k + 1 < legs; ++k) {
        const std::vector<double> numbers = values_of(rest);
        const Eigen::BDCSVD<Eigen::MatrixXd> svd(
            Eigen::MatrixXd(view(numbers, train.ranks[k] * sizes[k])),
            Eigen::ComputeThinU | Eigen::ComputeThinV);
        const Eigen::VectorXd& values = svd.singularValues();
        std::int64_t kept = values.size();
        while (kept > 1 && values.tail(values.size() - kept + 1).norm() <= dropped_at_most) {
            --kept;
        }
        train.cores.push_back(values_of(svd.matrixU().leftCols(kept)));
        train.ranks[k + 1] = kept;
        rest = values.head(kept).asDiagonal() * svd.matrixV().leftCols(kept).transpose();
    }
    train.cores.push_back(values_of(rest));
    return train;
}

HostTrain difference(const HostTrain& a, const HostTrain& b)
{
    if (a.sizes != b.sizes) {
        throw std::logic_error("a difference of trains with other legs");
    }
    HostTrain all{a.sizes, a.ranks, {}};
    const std::size_t legs = a.legs();
    for (std::size_t k = 1; k < legs; ++k) {
        all.ranks[k] += b.ranks[k];
    }
    for (std::size_t k = 0; k < legs; ++k) {
        const std::int64_t n = a.sizes[k];
        std::vector<double> core(
            static_cast<std::size_t>(all.ranks[k] * n * all.ranks[k + 1])); // zeros
        const auto put = [&](const HostTrain& from, std::int64_t left, std::int64_t right,
                             double sign) {
            std::size_t next = 0;
            for (std::int64_t row = 0; row < from.ranks[k]; ++row) {
                for (std::int64_t i = 0; i < n; ++i) {
                    for (std::int64_t column = 0; column < from.ranks[k + 1]; ++column) {
                        core[static_cast<std::size_t>(((left + row) * n + i) * all.ranks[k + 1] +
                                                      right + column)] +=
                            sign * from.cores[k][next++];
                    }
                }
            }
        };
        put(a, 0, 0, 1);
        put(b, k == 0 ? 0 : a.ranks[k], k + 1 == legs ? 0 : a.ranks[k + 1], k == 0 ? -1 : 1);
        all.cores.push_back(std::move(core));
    }
    return all;
}

double norm(const HostTrain& train)
{
    Matrix right = Matrix::Identity(1, 1); // R^T of what stands right of a core
    for (std::size_t k = train.legs(); k-- > 0;) {
        const std::int64_t left = train.ranks[k];
        const Matrix core = view(train.cores[k], left * train.sizes[k]) * right;
        const Eigen::Map<const Matrix> unfolded(core.data(), left, core.size() / left);
        const Eigen::HouseholderQR<spmd::EigenMatrix<double>> qr(unfolded.transpose());
        const auto rank = std::min(unfolded.rows(), unfolded.cols());
        right =
            spmd::EigenMatrix<double>(qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>())
                .transpose();
    }
    return right.norm();
}

std::vector<std::vector<double>> cut_values(HostTrain train)
{
    for (std::size_t k = train.legs() - 1; k > 0; --k) { // orthonormal rows, from the right
        const Matrix core = view(train.cores[k], train.ranks[k]);
        const Eigen::HouseholderQR<Matrix> qr(core.transpose());
        const std::int64_t rank = std::min(core.rows(), core.cols());
        const Matrix r = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
        const Matrix q = qr.householderQ() * Matrix::Identity(core.cols(), rank);
        const std::int64_t above = train.ranks[k - 1] * train.sizes[k - 1];
        train.cores[k - 1] = values_of(view(train.cores[k - 1], above) * r.transpose());
        train.cores[k] = values_of(q.transpose());
        train.ranks[k] = rank;
    }
    std::vector<std::vector<double>> all;
    for (std::size_t k = 0; k + 1 < train.legs(); ++k) {
        const Eigen::BDCSVD<Eigen::MatrixXd> svd(
            Eigen::MatrixXd(view(train.cores[k], train.ranks[k] * train.sizes[k])),
            Eigen::ComputeThinU | Eigen::ComputeThinV);
        const Eigen::VectorXd& values = svd.singularValues();
        all.emplace_back(values.data(), values.data() + values.size());
        const Matrix passed = values.asDiagonal() * svd.matrixV().transpose();
        train.cores[k + 1] = values_of(passed * view(train.cores[k + 1], train.ranks[k + 1]));
        train.ranks[k + 1] = values.size();
    }
    return all;
}

double relative_difference(const HostTrain& a, const HostTrain& b)
{
    const double apart = norm(difference(a, b));
    return apart == 0 ? 0 : apart / norm(a);
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    const Eigen::Map<const Eigen::VectorXd> left(a.data(), static_cast<std::int64_t>(a.size()));
    const Eigen::Map<const Eigen::VectorXd> right(b.data(), static_cast<std::int64_t>(b.size()));
    const double apart = (left - right).norm();
    return apart == 0 ? 0 : apart / left.norm();
}

HostTrain with_factors(const HostTrain& core, const std::vector<std::int64_t>& sizes,
                       const std::vector<std::vector<double>>& factors)
{
    HostTrain train{sizes, core.ranks, {}};
    for (std::size_t k = 0; k < core.legs(); ++k) {
        std::vector<double> longer;
        const std::int64_t panel = core.sizes[k] * core.ranks[k + 1];
        for (std::int64_t row = 0; row < core.ranks[k]; ++row) {
            const Eigen::Map<const Matrix> of_row(core.cores[k].data() + row * panel, core.sizes[k],
                                                  core.ranks[k + 1]);
            const Matrix product = view(factors[k], sizes[k]) * of_row;
            longer.insert(longer.end(), product.data(), product.data() + product.size());
        }
        train.cores.push_back(std::move(longer));
    }
    return train;
}

double distance_from_orthonormal(const std::vector<double>& v, std::int64_t rows,
                                 std::int64_t columns)
{
    const Eigen::Map<const Matrix> matrix(v.data(), rows, columns);
    return (matrix.transpose() * matrix - Matrix::Identity(columns, columns)).cwiseAbs().maxCoeff();
}

} // namespace alxsim::tensor_network
