// SPDX-License-Identifier: Apache-2.0
#include "gradient_check.h"
#include "workloads/transformer/math/rms_norm.h"

#include <algorithm>
#include <numeric>

namespace alxsim::transformer {
namespace {

constexpr std::int64_t rows = 3;
constexpr std::int64_t columns = 8;

Doubles normalized(const Doubles& x, const Doubles& gamma)
{
    Doubles sums(rows);
    row_square_sums(x.data(), rows, columns, sums.data());
    Doubles y(x.size());
    normalize_rms({rows, columns, columns}, x.data(), sums.data(), gamma.data(), y.data());
    return y;
}

struct NormGradients {
    Doubles dx, dgamma;
};

NormGradients of_whole_rows(const Doubles& x, const Doubles& gamma, const Doubles& dy)
{
    const RmsNormShape shape{rows, columns, columns};
    Doubles sums(rows);
    row_square_sums(x.data(), rows, columns, sums.data());
    NormGradients result{Doubles(x.size()), Doubles(columns, 9)}; // what stood there is not read
    Doubles with_x(rows);
    rms_norm_backward_sums(shape, x.data(), dy.data(), sums.data(), gamma.data(), with_x.data(),
                           result.dgamma.data());
    add_rms_norm_backward(shape, x.data(), dy.data(), sums.data(), gamma.data(), with_x.data(),
                          result.dx.data());
    return result;
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquareByHand)
{
    // The mean square of (3, 4) is 12.5.
    const Doubles x{3, 4};
    const Doubles gamma{1, 2};
    double sum = 0;
    row_square_sums(x.data(), 1, 2, &sum);
    EXPECT_EQ(sum, 25);
    Doubles y(2);
    normalize_rms({1, 2, 2}, x.data(), &sum, gamma.data(), y.data());
    const double root = std::sqrt(12.5 + 1e-5);
    expect_near(y, {3 / root, 8 / root}, 1e-15, "y");
}

TEST(RmsNorm, HasTheGradientOfItsDifferences)
{
    const Doubles x = drawn(1, rows * columns);
    const Doubles gamma = drawn(2, columns);
    const Doubles dy = drawn(3, rows * columns);
    const auto [dx, dgamma] = of_whole_rows(x, gamma, dy);
    expect_gradient([&](const Doubles& at) { return dot_of(normalized(at, gamma), dy); }, x, dx,
                    "dx");
    expect_gradient([&](const Doubles& at) { return dot_of(normalized(x, at), dy); }, gamma, dgamma,
                    "dgamma");
}

Doubles columns_of(const Doubles& all, std::int64_t first, std::int64_t count)
{
    Doubles part;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(all.size()); at += columns) {
        part.insert(part.end(), all.begin() + at + first, all.begin() + at + first + count);
    }
    return part;
}

TEST(RmsNorm, OfRowsThatAreCutIsThatOfWholeRows)
{
    const Doubles x = drawn(1, rows * columns);
    const Doubles gamma = drawn(2, columns);
    const Doubles dy = drawn(3, rows * columns);
    const auto [dx, dgamma] = of_whole_rows(x, gamma, dy);
    constexpr std::int64_t part = columns / 2;
    const RmsNormShape shape{rows, part, columns};
    Doubles sums(rows);
    Doubles with_x(rows);
    for (const std::int64_t first : {0, 4}) {
        Doubles here(rows);
        row_square_sums(columns_of(x, first, part).data(), rows, part, here.data());
        std::transform(sums.begin(), sums.end(), here.begin(), sums.begin(), std::plus<>());
    }
    Doubles dgamma_part(part);
    for (const std::int64_t first : {0, 4}) {
        Doubles here(rows);
        rms_norm_backward_sums(shape, columns_of(x, first, part).data(),
                               columns_of(dy, first, part).data(), sums.data(),
                               gamma.data() + first, here.data(), dgamma_part.data());
        std::transform(with_x.begin(), with_x.end(), here.begin(), with_x.begin(), std::plus<>());
        expect_near(dgamma_part, columns_of(dgamma, first, part), 1e-14, "dgamma");
    }
    for (const std::int64_t first : {0, 4}) {
        Doubles dx_part(rows * part, 1.0); // to which it adds
        add_rms_norm_backward(shape, columns_of(x, first, part).data(),
                              columns_of(dy, first, part).data(), sums.data(), gamma.data() + first,
                              with_x.data(), dx_part.data());
        Doubles expected = columns_of(dx, first, part);
        std::for_each(expected.begin(), expected.end(), [](double& number) { number += 1; });
        expect_near(dx_part, expected, 1e-14, "dx");
    }
}

/// Two sequences of three tokens, four heads of q and two of k and v.
class HeadNorm : public testing::Test {
protected:
    Doubles normalized_heads(const Doubles& qkv, const Doubles& q_gamma,
                             const Doubles& k_gamma) const
    {
        Doubles result(qkv.size());
        normalize_heads(shape_, qkv.data(), q_gamma.data(), k_gamma.data(), result.data());
        return result;
    }
    AttentionShape shape_{2, 3, 4, 2, 4};
    Doubles qkv_ = drawn(1, shape_.tokens() * shape_.row());
    Doubles q_gamma_ = drawn(2, shape_.width);
    Doubles k_gamma_ = drawn(3, shape_.width);
};

TEST_F(HeadNorm, LeavesEachHeadWithRootMeanSquareOneAndValuesAsTheyAre)
{
    const Doubles ones(4, 1.0);
    const Doubles result = normalized_heads(qkv_, ones, ones);
    for (std::int64_t at = 0; at < shape_.tokens() * shape_.row(); at += shape_.width) {
        const auto head = result.begin() + at;
        if (at % shape_.row() >= shape_.query_width() + shape_.key_width()) {
            EXPECT_TRUE(std::equal(head, head + shape_.width, qkv_.begin() + at));
        } else {
            EXPECT_NEAR(std::inner_product(head, head + shape_.width, head, 0.0), shape_.width,
                        2e-3);
        }
    }
}

TEST_F(HeadNorm, MayStandWhereItsInputStood)
{
    Doubles in_place = qkv_;
    normalize_heads(shape_, in_place.data(), q_gamma_.data(), k_gamma_.data(), in_place.data());
    EXPECT_EQ(in_place, normalized_heads(qkv_, q_gamma_, k_gamma_));
}

TEST_F(HeadNorm, HasTheGradientOfItsDifferences)
{
    const Doubles dresult = drawn(4, shape_.tokens() * shape_.row());
    Doubles dqkv = dresult;
    Doubles dq_gamma(4);
    Doubles dk_gamma(4);
    normalize_heads_backward(shape_, qkv_.data(), q_gamma_.data(), k_gamma_.data(), dqkv.data(),
                             dq_gamma.data(), dk_gamma.data());
    const auto loss = [&](const Doubles& qkv, const Doubles& q, const Doubles& k) {
        return dot_of(normalized_heads(qkv, q, k), dresult);
    };
    expect_gradient([&](const Doubles& at) { return loss(at, q_gamma_, k_gamma_); }, qkv_, dqkv,
                    "dqkv");
    expect_gradient([&](const Doubles& at) { return loss(qkv_, at, k_gamma_); }, q_gamma_, dq_gamma,
                    "dq_gamma");
    expect_gradient([&](const Doubles& at) { return loss(qkv_, q_gamma_, at); }, k_gamma_, dk_gamma,
                    "dk_gamma");
}

} // namespace
} // namespace alxsim::transformer
