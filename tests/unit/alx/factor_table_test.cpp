// SPDX-License-Identifier: Apache-2.0
#include "alx/tables/factor_table.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alxsim::alx {
namespace {

TEST(FactorTable, ShardsHaveOneRowMoreThanTheirShare)
{
    const FactorTable table(12, 3, 4, model::DType::f32);
    EXPECT_EQ(table.shard_rows(), 4);
    EXPECT_EQ(table.padded_rows(), 16);
    EXPECT_EQ(table.owner(3), 0);
    EXPECT_EQ(table.owner(4), 1);
}

TEST(FactorTable, InitialValuesDoNotDependOnDevicesOrThreads)
{
    HostPool one(1);
    HostPool two(2);
    FactorTable alone(5000, 8, 1, model::DType::bf16);
    FactorTable cut(5000, 8, 7, model::DType::bf16);
    alone.initialize(0.1, 3, 1, PhantomRows::zero, one);
    cut.initialize(0.1, 3, 1, PhantomRows::zero, two);
    std::vector<float> a = alone.to_floats();
    std::vector<float> b = cut.to_floats();
    a.resize(5000 * 8);
    b.resize(5000 * 8);
    EXPECT_EQ(a, b);
}

TEST(FactorTable, InitialValuesAreNormalAndPhantomRowsZero)
{
    HostPool pool(1);
    FactorTable table(20000, 4, 1, model::DType::f32);
    table.initialize(0.1, 1, 1, PhantomRows::zero, pool);
    const std::vector<float> values = table.to_floats();
    double sum = 0;
    double squares = 0;
    for (const float value : values) {
        sum += value;
        squares += static_cast<double>(value) * value;
    }
    EXPECT_NEAR(sum / 80000, 0, 0.1 * 4 / std::sqrt(80000.0));
    EXPECT_NEAR(squares / 80000, 0.01, 0.01 * 4 * std::sqrt(2.0 / 80000));
    for (std::size_t i = 80000; i < values.size(); ++i) {
        EXPECT_EQ(values[i], 0.0F);
    }
}

TEST(FactorTable, RefusesInitialValuesThatDoNotReach)
{
    FactorTable table(12, 3, 4, model::DType::f32);
    EXPECT_THROW(table.assign(std::vector<double>(11 * 3), PhantomRows::zero, "/rows"), InputError);
    EXPECT_NO_THROW(table.assign(std::vector<double>(12 * 3), PhantomRows::zero, "/rows"));
}

template <class Real>
void expect_gathered_rows(model::DType dtype)
{
    constexpr int dim = 20;
    constexpr std::size_t stride = 32;
    RowStore store(40, dim, dtype);
    for (std::int64_t row = 0; row < 40; ++row) {
        std::vector<double> values(dim);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = std::sin(static_cast<double>(row * dim) + static_cast<double>(i));
        }
        store.set(row, values.data());
    }
    const std::vector<std::int32_t> ids{7, 39, 0, 7, 12, 1, 2, 3, 4, 5, 6, 38};
    std::vector<Real> found(10 * stride, Real(9));
    store.gather(ids.data(), 10, static_cast<std::int64_t>(ids.size()), stride, found.data());
    for (std::size_t k = 0; k < 10; ++k) {
        std::vector<Real> expected(stride, Real(0));
        store.get(ids[k], expected.data());
        EXPECT_EQ(std::vector<Real>(found.data() + k * stride, found.data() + (k + 1) * stride),
                  expected)
            << "type " << static_cast<int>(dtype) << ", row " << ids[k];
    }
}

TEST(RowStore, GathersRowsAsItGetsThem)
{
    for (const model::DType dtype : {model::DType::bf16, model::DType::f32, model::DType::f64}) {
        expect_gathered_rows<float>(dtype);
        expect_gathered_rows<double>(dtype);
    }
}

TEST(FactorTable, PhantomRowsAreDrawnOrTakenWhereTheyAreRandom)
{
    HostPool pool(1);
    FactorTable table(12, 3, 4, model::DType::f32);
    table.initialize(0.1, 1, 1, PhantomRows::random, pool);
    EXPECT_NE(table.to_floats()[15 * 3], 0.0F);
    std::vector<double> values(16 * 3, 2.0);
    table.assign(values, PhantomRows::random, "/rows");
    EXPECT_EQ(table.to_doubles(), values);

    table.assign(std::vector<double>(12 * 3, 3.0), PhantomRows::random, "/rows");
    EXPECT_EQ(table.to_doubles().back(), 2.0) << "stays where no value is given";
    EXPECT_EQ(table.own_rows(), std::vector<double>(12 * 3, 3.0));
}

class Residuals : public testing::TestWithParam<model::DType> {};

TEST_P(Residuals, AreAddedWithEachOperationRounded)
{
    RowStore store(1, 1, GetParam());
    const double old = 1.0;
    const double x = 0.00390625 + 0x1p-16; // bf16(x - 1) = -1 + 2^-8 (1 + a little more)
    store.set(0, &old);
    store.add_residual(0, &x);
    double found = 0;
    store.get(0, &found);
    if (GetParam() == model::DType::bf16) {
        EXPECT_EQ(found, 0x1p-8); // the small part is lost against the old value
    } else {
        EXPECT_NEAR(found, x, 1e-7);
    }
}

INSTANTIATE_TEST_SUITE_P(DTypes, Residuals,
                         testing::Values(model::DType::bf16, model::DType::f32, model::DType::f64));

} // namespace
} // namespace alxsim::alx
