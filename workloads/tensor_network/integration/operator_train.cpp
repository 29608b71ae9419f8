// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/operator_train.h"

#include "spmd/linear/eigen_matrices.h"
#include "spmd/linear/op_parts.h"
#include "workloads/tensor_network/integration/angles.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;
using Factor = OperatorEntry::Factor;

/// [points x points] of the interpolating Fourier series on [-L, L).
spmd::EigenRows<double> fourier_derivative(std::int64_t points, double half_width)
{
    spmd::EigenRows<double> matrix = spmd::EigenRows<double>::Zero(points, points);
    for (std::int64_t row = 0; row < points; ++row) {
        for (std::int64_t column = 0; column < points; ++column) {
            if (row != column) {
                const double half_turn = pi * static_cast<double>(row - column) / points;
                const double sign = (row - column) % 2 == 0 ? 0.5 : -0.5;
                const double numerator = points % 2 == 0 ? cosine(half_turn) : 1;
                matrix(row, column) = sign * numerator / sine(half_turn) * pi / half_width;
            }
        }
    }
    return matrix;
}

void deal_rows(const Building& building, Array to, const spmd::EigenRows<double>& matrix)
{
    const spmd::Shape shape = building.step.shape(to);
    const std::int64_t rows = shape.rows * building.devices();
    spmd::EigenRows<double> all = spmd::EigenRows<double>::Zero(rows, shape.columns);
    all.topLeftCorner(matrix.rows(), matrix.cols()) = matrix;
    building.numbers->deal(to, {all.data(), all.data() + all.size()}, {1, rows, shape.columns},
                           model::DType::f32);
}

/// A core's block (row, column) of an operator's leg, added.
template <class Real>
struct Block {
    const Real* from; ///< [left x right] of the core
    std::int64_t left, right;
    Real* to; ///< where it begins in a panel
    std::int64_t stride;

    void add(Real factor) const
    {
        for (std::int64_t l = 0; l < left; ++l) {
            for (std::int64_t r = 0; r < right; ++r) {
                to[l * stride + r] += factor * from[l * right + r];
            }
        }
    }
};

template <class Real>
Real factor_at(const OperatorEntry& entry, int leg, const OperatorNumbers& places,
               const Real* numbers, Real position)
{
    const Real coefficient = static_cast<Real>(entry.scale) *
                             (entry.coefficient < 0 ? Real(1) : numbers[entry.coefficient]);
    switch (entry.factor) {
    case Factor::one:
        return coefficient;
    case Factor::position:
        return coefficient * position;
    case Factor::sine:
        return coefficient * static_cast<Real>(sine(numbers[places.angle(leg)] * position));
    case Factor::cosine:
        return coefficient * static_cast<Real>(cosine(numbers[places.angle(leg)] * position));
    }
    return coefficient;
}

/// A matrix [rows of the step's share x points] times each column of a core.
Array derivative_of(const Building& building, const std::string& name, Array matrix, Array core,
                    Array gathered, std::int64_t share)
{
    spmd::StepBuilder& step = building.step;
    const spmd::Shape shape = step.shape(core);
    const std::int64_t columns = shape.elements() / share;
    const Array result = building.matrix(name, shape.rows, shape.columns);
    step.multiply(name, "derivatives", {matrix}, {gathered},
                  {reshaped(building, result, share, columns)});
    return result;
}

} // namespace

Grid add_grid(const Building& building, std::int64_t points, double half_width, bool second)
{
    const std::int64_t share = building.share(points);
    const std::int64_t all = share * building.devices();
    const Grid grid{building.matrix("grid.derivative", share, all),
                    second ? building.matrix("grid.second derivative", share, all) : Array(),
                    building.matrix("grid.positions", share, 1)};
    if (building.numbers != nullptr) {
        const spmd::EigenRows<double> derivative = fourier_derivative(points, half_width);
        deal_rows(building, grid.derivative, derivative);
        if (second) {
            deal_rows(building, grid.second_derivative, derivative * derivative);
        }
        spmd::EigenRows<double> positions(points, 1);
        for (std::int64_t i = 0; i < points; ++i) {
            positions(i, 0) =
                -half_width + 2 * half_width / static_cast<double>(points) * static_cast<double>(i);
        }
        deal_rows(building, grid.positions, positions);
    }
    return grid;
}

Array add_operator_numbers(const Building& building, const std::string& name,
                           const Problem& problem, Array gamma, Array c, double pull)
{
    const auto d = static_cast<std::int64_t>(problem.dimensions);
    const OperatorNumbers places{static_cast<int>(d)};
    const Array numbers = building.matrix(name, 1, places.count());
    std::vector<spmd::Touch> reads{gamma};
    if (c.exists()) {
        reads.emplace_back(c);
    }
    building.step.compute(
        name, "coordinates", spmd::elementwise(6 * d * d * d, 1, d), reads, {numbers},
        [=, &problem](const auto& on) {
            using Real = spmd::NumberOf<decltype(on)>;
            using Matrix = spmd::EigenRows<Real>;
            const auto given = [&](const std::vector<double>& matrix) -> Matrix {
                return Eigen::Map<const spmd::EigenRows<double>>(matrix.data(), d, d)
                    .template cast<Real>();
            };
            const Matrix to = Eigen::Map<const Matrix>(on(gamma), d, d);
            const Matrix back = to.inverse();
            Matrix drift = to * given(problem.drift) * back;
            if (c.exists()) {
                drift += Eigen::Map<const Matrix>(on(c), d, d);
            }
            const Matrix diffusion = to * given(problem.diffusion) * to.transpose();
            Real* const at = on(numbers);
            std::fill(at, at + places.count(), Real(0));
            for (int i = 0; i < d; ++i) {
                for (int j = 0; j < d; ++j) {
                    at[places.drift(i, j)] = -drift(i, j);
                    at[places.diffusion(i, j)] = diffusion(i, j) * (i == j ? Real(0.5) : Real(1));
                }
                if (problem.sine) {
                    at[places.sine(i)] = static_cast<Real>(-problem.sine->strength) *
                                         to(i, static_cast<std::int64_t>(problem.sine->on));
                    at[places.angle(i)] = back(static_cast<std::int64_t>(problem.sine->of), i);
                }
            }
            at[places.constant()] = static_cast<Real>(pull - problem.trace());
        });
    return numbers;
}

DerivedTrain add_derivatives(const Building& building, const std::string& name, const Grid& grid,
                             const Train& train, bool second)
{
    DerivedTrain derived{train, {}, {}};
    for (std::size_t k = 0; k < train.legs(); ++k) {
        const Array core = train.cores[k];
        const std::int64_t share = building.share(train.sizes[k]);
        const std::int64_t columns = building.step.shape(core).elements() / share;
        const Array own = reshaped(building, core, share, columns);
        Array gathered = own;
        if (building.devices() > 1) {
            gathered = building.matrix(of_core(name, k) + ".gathered", share * building.devices(),
                                       columns);
            building.step.collective(of_core(name, k) + ".gathered",
                                     model::CollectiveKind::all_gather, building.axes, own,
                                     gathered);
        }
        derived.first.push_back(derivative_of(building, of_core(name, k) + ".derivative",
                                              grid.derivative, core, gathered, share));
        if (second) {
            derived.second.push_back(derivative_of(building,
                                                   of_core(name, k) + ".second derivative",
                                                   grid.second_derivative, core, gathered, share));
        }
    }
    return derived;
}

Train add_operator(const Building& building, const std::string& name, const Grid& grid,
                   const OperatorTrain& op, Array numbers, const DerivedTrain& train)
{
    spmd::StepBuilder& step = building.step;
    const Train& from = train.train;
    Train to{from.sizes, {op.front().rows}, {}};
    for (std::size_t k = 0; k < op.size(); ++k) {
        const std::int64_t left = from.ranks[k];
        const std::int64_t right = from.ranks[k + 1];
        const std::int64_t share = building.share(from.sizes[k]);
        const OperatorLeg& leg = op[k];
        const Array core =
            building.matrix(of_core(name, k), share * leg.rows * left, leg.columns * right);
        std::vector<Array> variants{from.cores[k], train.first[k]};
        if (!train.second.empty()) {
            variants.push_back(train.second[k]);
        }
        std::vector<spmd::Touch> reads(variants.begin(), variants.end());
        reads.insert(reads.end(), {numbers, grid.positions});
        const auto entries = static_cast<std::int64_t>(leg.entries.size());
        step.compute(of_core(name, k), "operator",
                     spmd::elementwise(entries * share * left * right, 2, leg.columns * right),
                     reads, {core}, [=](const auto& on) {
                         using Real = spmd::NumberOf<decltype(on)>;
                         const OperatorNumbers places{static_cast<int>(op.size())};
                         const std::int64_t stride = leg.columns * right;
                         const std::int64_t panel = leg.rows * left * stride;
                         std::fill(on(core), on(core) + share * panel, Real(0));
                         for (const OperatorEntry& entry : leg.entries) {
                             const Real* const variant =
                                 on(variants[static_cast<std::size_t>(entry.derivative)]);
                             Real* const block =
                                 on(core) + entry.row * left * stride + entry.column * right;
                             for (std::int64_t i = 0; i < share; ++i) {
                                 Block<Real>{variant + i * left * right, left, right,
                                             block + i * panel, stride}
                                     .add(factor_at(entry, static_cast<int>(k), places, on(numbers),
                                                    on(grid.positions)[i]));
                             }
                         }
                     });
        to.cores.push_back(core);
        to.ranks.push_back(leg.columns * right);
    }
    return to;
}

Train add_sum(const Building& building, const std::string& name, const std::vector<Train>& trains,
              const std::vector<double>& weights)
{
    const Train& first = trains.front();
    Train sum{first.sizes, {1}, {}};
    for (std::size_t k = 0; k < first.legs(); ++k) {
        const bool one_row = k == 0;
        const bool one_column = k + 1 == first.legs();
        std::int64_t rows = one_row ? 1 : 0;
        std::int64_t columns = one_column ? 1 : 0;
        std::vector<spmd::Touch> reads;
        for (const Train& train : trains) {
            rows += one_row ? 0 : train.ranks[k];
            columns += one_column ? 0 : train.ranks[k + 1];
            reads.emplace_back(train.cores[k]);
        }
        const std::int64_t share = building.share(first.sizes[k]);
        const Array core = building.matrix(of_core(name, k), share * rows, columns);
        building.step.compute(
            of_core(name, k), "sums", spmd::elementwise(share * rows * columns, 1, columns), reads,
            {core}, [=](const auto& on) {
                using Real = spmd::NumberOf<decltype(on)>;
                std::fill(on(core), on(core) + share * rows * columns, Real(0));
                std::int64_t row = 0;
                std::int64_t column = 0;
                for (std::size_t t = 0; t < trains.size(); ++t) {
                    const std::int64_t left = trains[t].ranks[k];
                    const std::int64_t right = trains[t].ranks[k + 1];
                    const Real weight = one_row ? static_cast<Real>(weights[t]) : Real(1);
                    for (std::int64_t i = 0; i < share; ++i) {
                        Block<Real>{on(trains[t].cores[k]) + i * left * right, left, right,
                                    on(core) + (i * rows + row) * columns + column, columns}
                            .add(weight);
                    }
                    row += one_row ? 0 : left;
                    column += one_column ? 0 : right;
                }
            });
        sum.cores.push_back(core);
        sum.ranks.push_back(columns);
    }
    return sum;
}

} // namespace alxsim::tensor_network
