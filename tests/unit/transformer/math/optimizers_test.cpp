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

TEST(AdamWithBf16State, MovesAsAdamDoesAndKeepsEightBitsOfTheMoments)
{
    const Doubles gradient = drawn(1, 6);
    Doubles weights(6);
    Doubles mean(6);
    Doubles square(6);
    adam_with_bf16_state({}, 1, gradient.data(), 6, mean.data(), square.data(), weights.data());
    Doubles expected(6);
    Doubles exact_mean(6);
    Doubles exact_square(6);
    adam({}, 1, gradient.data(), 6, exact_mean.data(), exact_square.data(), expected.data());
    EXPECT_EQ(weights, expected);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NE(mean[i], exact_mean[i]);
        EXPECT_NEAR(mean[i] / exact_mean[i], 1, 1.0 / 256);
        int exponent = 0;
        const double bits = std::frexp(square[i], &exponent) * 256;
        EXPECT_EQ(bits, std::floor(bits));
        EXPECT_NEAR(square[i] / exact_square[i], 1, 1.0 / 256);
    }
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
    adafactor_matrix({}, 1, gradient.data(), 3, 2, row_moment.data(), column_moment.data(),
                     weights.data());
    expect_near(weights, expected, 1e-15, "weights");
    expect_near(row_moment, {10, 40, 2.5}, 1e-14, "sums of rows");
    expect_near(column_moment, {9 * 5.25, 5.25}, 1e-14, "sums of columns");
}

TEST(Adafactor, ForgetsByOneLessTheStepToThePowerOfMinusFourFifths)
{
    Doubles weights(1);
    Doubles square(1);
    AdafactorOptions options;
    options.learning_rate = 1;
    adafactor_vector(options, 1, Doubles{2}.data(), 1, square.data(), weights.data());
    EXPECT_DOUBLE_EQ(square.front(), 4);
    EXPECT_DOUBLE_EQ(weights.front(), -1);
    adafactor_vector(options, 2, Doubles{1}.data(), 1, square.data(), weights.data());
    const double share = std::pow(2.0, -0.8);
    const double second = (1 - share) * 4 + share;
    EXPECT_DOUBLE_EQ(square.front(), second);
    EXPECT_DOUBLE_EQ(weights.front(), -1 - 1 / std::sqrt(second));
    // An update of more than root mean square 1 is cut to it.
    adafactor_vector(options, 3, Doubles{100}.data(), 1, square.data(), weights.data());
    EXPECT_DOUBLE_EQ(weights.front(), -1 - 1 / std::sqrt(second) - 1);
}

/// A quarter of a 4 x 6 matrix on each of 2 x 2 devices.
struct AdafactorDevice {
    Doubles gradient, weights, row_sums, column_sums;
    Doubles row_moment = Doubles(2), column_moment = Doubles(3), update = Doubles(6);
};

TEST(Adafactor, OfAMatrixThatIsCutIsThatOfTheWhole)
{
    const AdafactorOptions options;
    Doubles whole(24);
    Doubles row_moment(4);
    Doubles column_moment(6);
    std::vector<AdafactorDevice> devices(4, {Doubles(6), Doubles(6), Doubles(2), Doubles(3)});
    const AdafactorPart part{2, 3, 24};
    for (int step = 1; step <= 3; ++step) {
        const Doubles gradient = drawn(static_cast<std::uint64_t>(step), 24);
        adafactor_matrix(options, step, gradient.data(), 4, 6, row_moment.data(),
                         column_moment.data(), whole.data());
        for (std::size_t d = 0; d < 4; ++d) {
            for (std::size_t i = 0; i < 6; ++i) {
                devices[d].gradient[i] = gradient[(d / 2 * 2 + i / 3) * 6 + d % 2 * 3 + i % 3];
            }
            adafactor_sums(options, part, devices[d].gradient.data(), devices[d].row_sums.data(),
                           devices[d].column_sums.data());
        }
        double of_rows = 0;
        for (std::size_t d = 0; d < 4; ++d) {
            const Doubles& beside = devices[d ^ 1].row_sums;
            const Doubles& below = devices[d ^ 2].column_sums;
            Doubles rows = devices[d].row_sums;
            Doubles columns = devices[d].column_sums;
            std::transform(rows.begin(), rows.end(), beside.begin(), rows.begin(), std::plus<>());
            std::transform(columns.begin(), columns.end(), below.begin(), columns.begin(),
                           std::plus<>());
            const double sum =
                adafactor_moment(options, step, rows.data(), 2, devices[d].row_moment.data());
            of_rows += d % 2 == 0 ? sum : 0;
            adafactor_moment(options, step, columns.data(), 3, devices[d].column_moment.data());
        }
        double squares = 0;
        for (AdafactorDevice& device : devices) {
            squares +=
                adafactor_matrix_update(part, device.gradient.data(), device.row_moment.data(),
                                        device.column_moment.data(), of_rows, device.update.data());
        }
        for (std::size_t d = 0; d < 4; ++d) {
            adafactor_apply(options, part, devices[d].update.data(), squares,
                            devices[d].weights.data());
            for (std::size_t i = 0; i < 6; ++i) {
                EXPECT_NEAR(devices[d].weights[i],
                            whole[(d / 2 * 2 + i / 3) * 6 + d % 2 * 3 + i % 3], 1e-15);
            }
        }
    }
}

} // namespace
} // namespace alxsim::transformer
