// SPDX-License-Identifier: Apache-2.0
#include "alx/training/training.h"

#include "golden_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

/// 12 x 9, d = 4, two epochs. Row 7 has no links and is solved to zero in the reference; column 8
/// never occurs and keeps its initial value.
Dataset tiny_data()
{
    SparseMatrix matrix;
    matrix.columns = 9;
    const Json golden = golden_json("a_tiny/data.json");
    for (const Json& row : golden.at("rows")) {
        matrix.append(row.at(1).get<std::vector<std::int32_t>>());
    }
    return without_split(matrix);
}

AlxConfig tiny_config()
{
    AlxConfig config;
    config.dim = 4;
    config.epochs = 2;
    config.reg = 0.05;
    config.alpha = 0.1;
    config.solver = "cholesky";
    config.table_dtype = model::DType::f32;
    config.batch = {6, 3, 4};
    config.column_batch = {5, 3, 3};
    return config;
}

InitialTables tiny_tables()
{
    const auto rows = golden_numbers<float>("a_tiny/init_row_16x4_zero_phantom.f32");
    const auto columns = golden_numbers<float>("a_tiny/init_col_12x4_zero_phantom.f32");
    InitialTables initial{{rows.begin(), rows.end()}, {columns.begin(), columns.end()}};
    std::fill_n(initial.rows.begin() + 7 * 4, 4, 0.0); // no links: zero
    return initial;
}

void expect_near(const FactorTable& table, const std::vector<double>& expected)
{
    const std::vector<float> found = table.to_floats();
    double largest = 0;
    for (const double value : expected) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-5 * largest) << "number " << i;
    }
}

TEST(GoldenTextbook, TwoEpochsAgreeWithDenseIalsForAnyNumberOfDevices)
{
    const Dataset data = tiny_data();
    const InitialTables initial = tiny_tables();
    HostPool pool(1);
    for (const int devices : {1, 2, 4}) {
        SCOPED_TRACE(devices);
        TrainingRun run(tiny_config(), data, devices, pool, &initial);
        while (run.next()) {
        }
        expect_near(run.rows(), golden_numbers<double>("a_tiny/textbook_row_12x4.f64"));
        expect_near(run.columns(), golden_numbers<double>("a_tiny/textbook_col_9x4.f64"));
    }
}

TEST(GoldenTextbook, TheObjectiveAgreesAfterEachEpoch)
{
    const Json expected = golden_json("a_tiny/M2_f64_cholesky_zerophantom.json")
                              .at("objective_f64_initial_then_each_half_epoch");
    const Dataset data = tiny_data();
    const InitialTables initial = tiny_tables();
    HostPool pool(1);
    TrainingRun run(tiny_config(), data, 2, pool, &initial);
    while (run.next()) {
    }
    EXPECT_NEAR(run.quality()[0].objective, expected.at(2).get<double>(), 1e-4);
    EXPECT_NEAR(run.quality()[1].objective, expected.at(4).get<double>(), 1e-4);
}

} // namespace
} // namespace alxsim::alx
