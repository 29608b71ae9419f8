// SPDX-License-Identifier: Apache-2.0
#include "gradient_check.h"
#include "workloads/transformer/math/activation.h"

namespace alxsim::transformer {
namespace {

Doubles activated(const ActivationShape& shape, const Doubles& x)
{
    Doubles y(static_cast<std::size_t>(shape.rows * shape.width));
    activate(shape, x.data(), y.data());
    return y;
}

TEST(Activations, HaveTheirKnownValues)
{
    const Doubles x{-2, 0, 1};
    const auto of = [&](Activation activation) { return activated({activation, false, 1, 3}, x); };
    expect_near(of(Activation::relu), {0, 0, 1}, 0, "relu");
    // x / (1 + exp(-x)) of -2 and 1
    expect_near(of(Activation::silu), {-0.2384058440442351, 0, 0.7310585786300049}, 1e-15, "silu");
    // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) of -2 and 1
    expect_near(of(Activation::gelu), {-0.04540230591222494, 0, 0.8411919906082768}, 1e-15, "gelu");
}

TEST(Activations, AreZeroOrTheNumberItselfFarOut)
{
    for (const Activation activation : {Activation::gelu, Activation::relu, Activation::silu}) {
        const ActivationShape shape{activation, false, 1, 2};
        const Doubles x{-1e4, 1e4};
        expect_near(activated(shape, x), {0, 1e4}, 0, "value");
        Doubles dx(2);
        activate_backward(shape, x.data(), Doubles{1, 1}.data(), dx.data());
        expect_near(dx, {0, 1}, 0, "slope");
    }
}

TEST(Activations, GatedMultiplyTheOtherHalfOfTheRow)
{
    for (const Activation activation : {Activation::gelu, Activation::relu, Activation::silu}) {
        const Doubles gate{-1, 0.5, 2};
        const Doubles up{3, -4, 5};
        const Doubles values = activated({activation, false, 1, 3}, gate);
        Doubles rows;
        for (int row = 0; row < 2; ++row) {
            rows.insert(rows.end(), gate.begin(), gate.end());
            rows.insert(rows.end(), up.begin(), up.end());
        }
        Doubles expected;
        for (std::size_t i = 0; i < 6; ++i) {
            expected.push_back(values[i % 3] * up[i % 3]);
        }
        EXPECT_EQ(activated({activation, true, 2, 3}, rows), expected);
    }
}

TEST(Activations, HaveTheGradientOfTheirDifferences)
{
    for (const Activation activation : {Activation::gelu, Activation::relu, Activation::silu}) {
        for (const bool gated : {false, true}) {
            const ActivationShape shape{activation, gated, 3, 5};
            const Doubles x = drawn(1, shape.rows * shape.input_width());
            const Doubles dy = drawn(2, shape.rows * shape.width);
            Doubles dx(x.size());
            activate_backward(shape, x.data(), dy.data(), dx.data());
            expect_gradient([&](const Doubles& at) { return dot_of(activated(shape, at), dy); }, x,
                            dx, gated ? "gated" : "plain");
        }
    }
}

TEST(Activations, OfRowsLongerThanAPieceAreThoseOfTheirParts)
{
    const ActivationShape shape{Activation::silu, true, 2, 1500};
    const Doubles x = drawn(1, shape.rows * shape.input_width());
    const Doubles y = activated(shape, x);
    const Doubles last{x[3000 + 1499], x[3000 + 2999]};
    EXPECT_NEAR(y.back(), activated({Activation::silu, true, 1, 1}, last).front(), 1e-15);
}

} // namespace
} // namespace alxsim::transformer
