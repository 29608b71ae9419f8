// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/tensor_network/integration/problem.h"
#include "workloads/tensor_network/train.h"

#include <string>
#include <vector>

namespace alxsim::tensor_network {

// Differential operators on functions of d coordinates as trains of small matrices, whose entries
// are operators on one coordinate: applied to a train they multiply its ranks by theirs.

/// coefficient x scale x a function of the coordinate x a derivative by it.
struct OperatorEntry {
    enum class Factor { one, position, sine, cosine };

    int row = 0, column = 0;
    int derivative = 0; ///< 0, 1, 2
    Factor factor = Factor::one;
    int coefficient = -1; ///< of OperatorNumbers; -1: 1
    double scale = 1;
};

/// What stands at one coordinate: [rows x columns], zero where there is no entry.
struct OperatorLeg {
    int rows = 0, columns = 0;
    std::vector<OperatorEntry> entries;
};
/// Rows of the first leg are the results, the last has one column.
using OperatorTrain = std::vector<OperatorLeg>;

/// Where the numbers of an operator stand, which coordinates change.
struct OperatorNumbers {
    int d;
    int drift(int i, int j) const { return i * d + j; } ///< of y_j d/dy_i
    int diffusion(int i, int j) const { return d * d + i * d + j; }
    int constant() const { return 2 * d * d; }
    int sine(int i) const { return 2 * d * d + 1 + i; }      ///< of sin(angles y) d/dy_i
    int angle(int j) const { return 2 * d * d + 1 + d + j; } ///< of y_j in the sine
    int count() const { return 2 * d * d + 1 + 2 * d; }
};

/// The right side of a problem: sums of y_j d/dy_i, d/dy_i d/dy_j, 1 and sines; or without the
/// first of them, which are linear drift and the motion of coordinates.
OperatorTrain right_side(const Problem& problem, bool with_drift = true);
/// A result for each -y_j d/dy_i, i the slower, by what a row of C changes the right side.
OperatorTrain coordinate_terms(int d);
/// The results of one below those of the other.
OperatorTrain stacked(const OperatorTrain& first, const OperatorTrain& second);

/// The grid [-L, L) of each coordinate, as the devices have it.
struct Grid {
    spmd::Array derivative;        ///< [share x all points], as is ..
    spmd::Array second_derivative; ///< .. its square; none where it is not asked for
    spmd::Array positions;         ///< [share x 1]
};
/// `points` on each axis; with numbers, they are dealt. The derivative is that of Fourier series,
/// the highest frequency of an even number set to 0.
Grid add_grid(const Building& building, std::int64_t points, double half_width, bool second);

/// numbers [1 x count] on all devices, of a problem in coordinates y = gamma x that move by
/// gamma' = c gamma (c: none for 0), and `pull` added to the constant.
spmd::Array add_operator_numbers(const Building& building, const std::string& name,
                                 const Problem& problem, spmd::Array gamma, spmd::Array c,
                                 double pull);

/// A train's cores and their first two derivatives, in the layout of cores.
struct DerivedTrain {
    Train train;
    std::vector<spmd::Array> first;
    std::vector<spmd::Array> second; ///< none where they are not asked for
};
DerivedTrain add_derivatives(const Building& building, const std::string& name, const Grid& grid,
                             const Train& train, bool second);

/// The operator applied: ranks are products of its and the train's, the first one its results.
Train add_operator(const Building& building, const std::string& name, const Grid& grid,
                   const OperatorTrain& op, spmd::Array numbers, const DerivedTrain& train);

/// Weighted sum: ranks add up.
Train add_sum(const Building& building, const std::string& name, const std::vector<Train>& trains,
              const std::vector<double>& weights);

} // namespace alxsim::tensor_network
