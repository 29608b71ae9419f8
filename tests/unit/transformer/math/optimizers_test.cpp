// SPDX-License-Identifier: Apache-2.0
#include "gradient_check.h"
#include "workloads/transformer/math/optimizers.h"

#include <algorithm>
#include <functional>

namespace alxsim::transformer {
namespace {

TEST(Sgd, TakesTheGradientTimesTheRate)
{
    Doubles weights{1, 2};
    sgd(0.5, Doubles{4, -1}.data(), 2, weights.data());
    EXPECT_EQ(weights, (Doubles{-1, 2.5}));
}

/// A step of a whole matrix, of which the state is [rows] and [columns].
void step_of_matrix(const AdafactorOptions& options, int step, const Doubles& gradient,
                    Doubles& row_moment, Doubles& column_moment, Doubles& weights)
{
    const AdafactorPart all{static_cast<std::int64_t>(row_moment.size()),
                            static_cast<std::int64_t>(column_moment.size()), 0,
                            static_cast<std::int64_t>(weights.size())};
    Doubles row_sums(row_moment.size());
    Doubles column_sums(column_moment.size());
    Doubles update(weights.size());
    adafactor_sums(options, all, gradient.data(), row_sums.data(), column_sums.data());
    const double sum =
        adafactor_moment(options, step, row_sums.data(), all.rows, row_moment.data());
    adafactor_moment(options, step, column_sums.data(), all.columns, column_moment.data());
    const double squares = adafactor_matrix_update(all, gradient.data(), row_moment.data(),
                                                   column_moment.data(), sum, update.data());
    adafactor_apply(options, update.data(), all.count, squares, all.count, weights.data());
}

void step_of_number(const AdafactorOptions& options, int step, double gradient, double& square,
                    double& weight)
{
    double update = 0;
    adafactor_square(options, step, &gradient, 1, &square);
    const double squares = adafactor_vector_update(&gradient, 1, &square, &update);
    adafactor_apply(options, &update, 1, squares, 1, &weight);
}

TEST(Adafactor, MovesByTheSignWhereSquaresAreAnOuterProduct)
{
    // g_ij = +-a_i b_j: the factored moment is the square itself, the update its sign, of root mean
    // square 1.
    const Doubles a{1, 2, 0.5};
    const Doubles b{3, 1};
    Doubles gradient;
    Doubles expected;
    for (const double row : a) {
        for (const double column : b) {
            const double sign = gradient.size() % 3 == 0 ? -1 : 1;
            gradient.push_back(sign * row * column);
            expected.push_back(1 - 0.01 * sign);
        }
    }
    Doubles weights(6, 1.0);
    Doubles row_moment(3);
    Doubles column_moment(2);
    step_of_matrix({}, 1, gradient, row_moment, column_moment, weights);
    expect_near(weights, expected, 1e-15, "weights");
    expect_near(row_moment, {10, 40, 2.5}, 1e-14, "sums of rows");
    expect_near(column_moment, {9 * 5.25, 5.25}, 1e-14, "sums of columns");
}

TEST(Adafactor, ForgetsByOneLessTheStepToThePowerOfMinusFourFifths)
{
    double weight = 0;
    double square = 0;
    AdafactorOptions options;
    options.learning_rate = 1;
    step_of_number(options, 1, 2, square, weight);
    EXPECT_DOUBLE_EQ(square, 4);
    EXPECT_DOUBLE_EQ(weight, -1);
    step_of_number(options, 2, 1, square, weight);
    const double share = std::pow(2.0, -0.8);
    const double second = (1 - share) * 4 + share;
    EXPECT_DOUBLE_EQ(square, second);
    EXPECT_DOUBLE_EQ(weight, -1 - 1 / std::sqrt(second));
    // An update of more than root mean square 1 is cut to it.
    step_of_number(options, 3, 100, square, weight);
    EXPECT_DOUBLE_EQ(weight, -1 - 1 / std::sqrt(second) - 1);
}

TEST(Adafactor, AddsUpTheSumsOfPartsThatBeginAnywhere)
{
    const Doubles gradient = drawn(1, 4 * 6);
    Doubles rows(4);
    Doubles columns(6);
    adafactor_sums({}, {4, 6, 0, 24}, gradient.data(), rows.data(), columns.data());
    for (const std::int64_t first : {0, 7, 14, 21}) {
        Doubles some_rows(4, 9.0); // what stood there is not read
        Doubles some_columns(6, 9.0);
        adafactor_sums({}, {4, 6, first, std::min<std::int64_t>(7, 24 - first)},
                       gradient.data() + first, some_rows.data(), some_columns.data());
        std::transform(rows.begin(), rows.end(), some_rows.begin(), rows.begin(), std::minus<>());
        std::transform(columns.begin(), columns.end(), some_columns.begin(), columns.begin(),
                       std::minus<>());
    }
    expect_near(rows, Doubles(4), 1e-14, "rows");
    expect_near(columns, Doubles(6), 1e-14, "columns");
}

} // namespace
} // namespace alxsim::transformer
