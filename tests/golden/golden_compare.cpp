// SPDX-License-Identifier: Apache-2.0
#include "golden_compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace alxsim {
namespace {

double largest(const double* values, std::size_t count)
{
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        most = std::max(most, std::abs(values[i]));
    }
    return most;
}

/// One unit in the last place of a bf16 number of this size.
double ulp(double value)
{
    return value == 0 ? std::ldexp(1.0, -133) : std::ldexp(1.0, std::ilogb(value) - 7);
}

double share_of_equal(const NpyMatrix& found, const std::vector<double>& expected)
{
    std::size_t equal = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        equal += found.values[i] == expected[i] ? 1 : 0;
    }
    return static_cast<double>(equal) / static_cast<double>(expected.size());
}

} // namespace

Tolerance tolerance_of(const Json& config)
{
    const auto tables = config.at("tables").get<std::string>();
    if (tables == "f64") {
        return {false, 1e-9, 1e-9};
    }
    if (tables == "f32pure") {
        return {false, config.at("solver") == "cg" ? 5e-4 : 1e-5, 2e-4};
    }
    return {};
}

double error_of(const NpyMatrix& found, const std::vector<double>& expected, const Tolerance& by)
{
    EXPECT_EQ(found.values.size(), expected.size());
    const auto dim = static_cast<std::size_t>(found.columns);
    const double scale = largest(expected.data(), expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < std::min(expected.size(), found.values.size()); ++i) {
        const double difference = std::abs(found.values[i] - expected[i]);
        const double unit = by.in_bf16 ? ulp(largest(expected.data() + i / dim * dim, dim)) : scale;
        worst = std::max(worst, difference / unit);
    }
    return worst;
}

void print_error(const std::string& name, const std::string& what, double error, double tolerance)
{
    std::printf("    %-34s %-24s %.3g (allowed %.3g)\n", name.c_str(), what.c_str(), error,
                tolerance);
}

namespace {

} // namespace

Json without_phantoms(Json rows, const Json& config)
{
    const auto columns = config.at("num_cols").get<std::int64_t>();
    for (Json& row : rows) {
        Json kept = row;
        for (const char* list : {"top_ids", "top_scores_bf16_bits"}) {
            if (!row.contains(list)) {
                continue;
            }
            kept[list] = Json::array();
            for (std::size_t i = 0; i < row.at(list).size(); ++i) {
                if (row.at("top_ids").at(i) < columns) {
                    kept[list].push_back(row.at(list).at(i));
                }
            }
        }
        row = std::move(kept);
    }
    return rows;
}

namespace {

/// Golden tables have the rows that fill the shards, behind all others; exports do not.
std::vector<double> unpadded(std::vector<double> golden, const NpyMatrix& exported)
{
    EXPECT_GE(golden.size(), exported.values.size());
    golden.resize(exported.values.size());
    return golden;
}

void compare_tables(const GoldenRun& run, const std::string& name, const Tolerance& tolerance)
{
    const NpyMatrix found = run.table("rows_after_first_half");
    const auto first = unpadded(golden_table(name + "_row_after_first_half"), found);
    if (tolerance.in_bf16) {
        const double equal = share_of_equal(found, first);
        EXPECT_GE(equal, 0.99);
        EXPECT_LE(error_of(found, first, tolerance), 1);
        print_error(name, "first half, unequal", 1 - equal, 0.01);
    }
    for (const auto& [file, reference] : std::vector<std::pair<std::string, std::string>>{
             {"rows_after_first_half", "_row_after_first_half"},
             {"rows", "_row_final"},
             {"columns", "_col_final"},
             {"gramian_rows", "_row_gramian_final"},
             {"gramian_columns", "_col_gramian_final"}}) {
        const NpyMatrix own = run.table(file);
        const double error =
            error_of(own, unpadded(golden_table(name + reference), own), tolerance);
        EXPECT_LE(error, tolerance.table) << file;
        print_error(name, file, error, tolerance.table);
    }
}

void compare_objectives(const GoldenRun& run, const Json& golden, const std::string& name,
                        double tolerance)
{
    const Json& expected = golden.at("objective_f64_initial_then_each_half_epoch");
    const Json found = run.json("metrics").at("objective_by_half");
    ASSERT_EQ(found.size(), expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto value = expected.at(i).get<double>();
        worst = std::max(worst, std::abs(found.at(i).get<double>() - value) / value);
    }
    EXPECT_LE(worst, tolerance);
    print_error(name, "objective", worst, tolerance);
}

void compare_iterations(const GoldenRun& run, const Json& golden, const std::string& name)
{
    const Json& expected = golden.at("cg_iters_max_per_device");
    const Json found = run.json("cg_iterations");
    ASSERT_EQ(found.size(), expected.size());
    int worst = 0;
    for (std::size_t half = 0; half < expected.size(); ++half) {
        ASSERT_EQ(found.at(half).size(), expected.at(half).size());
        for (std::size_t step = 0; step < expected.at(half).size(); ++step) {
            ASSERT_EQ(found.at(half).at(step).size(), expected.at(half).at(step).size());
            for (std::size_t device = 0; device < expected.at(half).at(step).size(); ++device) {
                worst = std::max(worst, std::abs(found.at(half).at(step).at(device).get<int>() -
                                                 expected.at(half).at(step).at(device).get<int>()));
            }
        }
    }
    EXPECT_LE(worst, 2);
    print_error(name, "CG iterations", worst, 2);
}

} // namespace

void compare_run(const GoldenRun& run, const Json& golden, const std::string& name,
                 const Tolerance& tolerance)
{
    ASSERT_EQ(run.problem(), "");
    compare_tables(run, name, tolerance);
    compare_objectives(run, golden, name, tolerance.objective);
    compare_iterations(run, golden, name);
}

} // namespace alxsim
