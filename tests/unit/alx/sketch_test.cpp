// SPDX-License-Identifier: Apache-2.0
#include "alx/training/training.h"

#include "matrices.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alxsim::alx {
namespace {

AlxConfig sketched_config()
{
    AlxConfig config;
    config.dim = 16;
    config.epochs = 2;
    config.batch = {64, 4, 24};
    config.column_batch = {256, 4, 24};
    config.solver = "cholesky";
    config.table_dtype = model::DType::f32;
    return config;
}

std::unique_ptr<TrainingRun> train(const AlxConfig& config, const Dataset& data, int devices,
                                   HostPool& pool)
{
    auto run = std::make_unique<TrainingRun>(config, data, devices, pool);
    while (run->next()) {
    }
    return run;
}

/// Frobenius norm of the difference, of rows that both have.
double distance(const FactorTable& a, const FactorTable& b)
{
    const std::vector<double> of_a = a.to_doubles();
    const std::vector<double> of_b = b.to_doubles();
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.count() * a.dim()); ++i) {
        sum += (of_a[i] - of_b[i]) * (of_a[i] - of_b[i]);
    }
    return std::sqrt(sum);
}

TEST(Sketches, OfTheSameNumbersAreTheSameBitsOnAnyNumberOfCoresAndForAnyPlacement)
{
    const Dataset data = without_split(power_law_matrix(700, 300, 1));
    AlxConfig config = sketched_config();
    config.epochs = 0; // trained, tables differ in their last bits, as sums over cores do
    std::vector<Json> found;
    for (const char* placement : {"contiguous", "cyclic", "hash", "degree_balanced"}) {
        for (const int devices : {1, 4, 16}) {
            HostPool pool(devices == 4 ? 3 : 1);
            config.placement = placement;
            found.push_back(json_of(train(config, data, devices, pool)->sketches()));
            EXPECT_EQ(found.back(), found.front()) << placement << " " << devices;
        }
    }
    ASSERT_EQ(found.front().size(), 2U);
    EXPECT_EQ(found.front().at(0).at("matrix"), "W");
    EXPECT_EQ(found.front().at(0).at("rows"), 700);
    EXPECT_EQ(found.front().at(1).at("matrix"), "H");
    EXPECT_EQ(found.front().at(1).at("rows"), 300);
    EXPECT_EQ(found.front().at(1).at("columns"), 16);
}

TEST(Sketches, OfTheSameTrainingAreNoDistanceApart)
{
    const Dataset data = without_split(power_law_matrix(700, 300, 1));
    HostPool one(1);
    HostPool three(3);
    const auto a = train(sketched_config(), data, 4, one);
    const auto b = train(sketched_config(), data, 4, three);
    for (const auto& found : workloads::distances(a->sketches(), b->sketches())) {
        EXPECT_EQ(found.distance, 0.0) << found.matrix;
    }
    // On more cores sums may have another order.
    const auto c = train(sketched_config(), data, 16, one);
    for (const auto& found : workloads::distances(a->sketches(), c->sketches())) {
        EXPECT_LT(*found.relative, 1e-4) << found.matrix;
    }
}

TEST(Sketches, TellHowFarTrainingsAreApart)
{
    const Dataset data = without_split(power_law_matrix(700, 300, 1));
    HostPool pool(2);
    const auto a = train(sketched_config(), data, 4, pool);
    AlxConfig other = sketched_config();
    other.reg *= 1.1;
    AlxConfig rounded = sketched_config();
    rounded.table_dtype = model::DType::bf16;
    for (const AlxConfig& config : {other, rounded}) {
        const auto b = train(config, data, 4, pool);
        const std::vector<workloads::SketchDistance> found =
            workloads::distances(a->sketches(), b->sketches());
        ASSERT_EQ(found.size(), 2U);
        const double of_rows = distance(a->rows(), b->rows());
        const double of_columns = distance(a->columns(), b->columns());
        EXPECT_GT(of_rows, 0);
        EXPECT_NEAR(*found[0].distance, of_rows, 4 * *found[0].standard_error);
        EXPECT_NEAR(*found[1].distance, of_columns, 4 * *found[1].standard_error);
        EXPECT_LT(*found[0].standard_error, 0.3 * of_rows);
    }
}

} // namespace
} // namespace alxsim::alx
