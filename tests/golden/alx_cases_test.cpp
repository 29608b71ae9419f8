// SPDX-License-Identifier: Apache-2.0
// Whole jobs of the reference program, run through the command line.
#include "golden_compare.h"
#include "golden_files.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

std::string ids(const Json& list)
{
    std::string text;
    for (const Json& id : list) {
        text += " " + id.dump();
    }
    return text;
}

GoldenInput tiny_input(const std::string& name)
{
    const Json data = golden_json("a_tiny/data.json");
    const bool zero = name.find("zerophantom") != std::string::npos;
    const std::string suffix = zero ? "_zero_phantom" : "";
    GoldenInput input{"", "", "a_tiny/init_row_16x4" + suffix, "a_tiny/init_col_12x4" + suffix};
    for (const Json& row : data.at("rows")) {
        input.adjacency += row.at(0).dump() + ids(row.at(1)) + "\n";
    }
    for (const Json& test : data.at("test")) {
        input.tests += test.at(0).dump() + " |" + ids(test.at(1)) + " |" + ids(test.at(2)) + "\n";
    }
    return input;
}

/// The batches but for those that pad the devices.
void compare_batches(const Json& found, const Json& expected)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        for (const auto& [key, value] : expected.at(i).items()) {
            EXPECT_EQ(found.at(i).value(key, Json()), value) << key;
        }
    }
}

void compare_recommendations(const GoldenRun& run, const Json& golden)
{
    const Json found = run.json("recommendations");
    const Json expected = without_phantoms(golden.at("eval_detail_final"), golden.at("config"));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found.at(i).at("row_id"), expected.at(i).at("row_id"));
        EXPECT_EQ(found.at(i).at("top_ids"), expected.at(i).at("top_ids"));
        EXPECT_NEAR(found.at(i).at("recall20").get<double>(),
                    expected.at(i).at("recall20").get<double>(), 1e-6);
    }
    const Json recalls = run.json("metrics").at("recall_by_epoch");
    const Json& expected_recalls = golden.at("recall20_recall50_nvalid_per_epoch");
    ASSERT_EQ(recalls.size(), expected_recalls.size());
    for (std::size_t i = 0; i < recalls.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(recalls.at(i).at(j).get<double>(),
                        expected_recalls.at(i).at(j).get<double>(), 1e-6);
        }
    }
}

class GoldenTiny : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenTiny, TheWholeJob)
{
    const std::string name = std::string("a_tiny/") + GetParam();
    const Json golden = golden_json(name + ".json");
    const GoldenRun run(golden.at("config"), golden.at("epochs"), tiny_input(name));
    compare_run(run, golden, name, tolerance_of(golden.at("config")));
    compare_recommendations(run, golden);
    const Json data = golden_json("a_tiny/data.json");
    compare_batches(run.json("batches_rows"), data.at("row_batches"));
    compare_batches(run.json("batches_columns"), data.at("col_batches"));
    compare_batches(run.json("batches_test"), data.at("test_batches"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, GoldenTiny,
    ::testing::Values("M1_bf16_cg", "M1_bf16_cholesky", "M1_bf16_cg_fused", "M1_f32_cg",
                      "M1_f32_cholesky", "M1_f32pure_cg", "M1_f32pure_cholesky", "M1_f64_cholesky",
                      "M1_f64_cholesky_zerophantom", "M2_bf16_cg", "M2_bf16_cholesky",
                      "M2_bf16_cg_fused", "M2_f32_cg", "M2_f32_cholesky", "M2_f32pure_cg",
                      "M2_f32pure_cholesky", "M2_f64_cholesky", "M2_f64_cholesky_zerophantom"),
    [](const auto& instance) { return std::string(instance.param); });

TEST(GoldenTiny, ZeroPhantomsAreTheTextbookForAnyNumberOfDevices)
{
    Json config = golden_json("a_tiny/M2_f64_cholesky_zerophantom.json").at("config");
    for (const int devices : {1, 2, 3, 4}) {
        config["M"] = devices;
        const GoldenRun run(config, 2, tiny_input(""),
                            {{"workload", {{"alx", {{"switches", {{"phantom_rows", "zero"}}}}}}}});
        ASSERT_EQ(run.problem(), "");
        const Tolerance tolerance{false, 1e-9, 1e-9};
        NpyMatrix rows = run.table("rows");
        NpyMatrix columns = run.table("columns");
        rows.values.resize(12 * 4);
        columns.values.resize(9 * 4);
        EXPECT_LE(error_of(rows, golden_table("a_tiny/textbook_row_12x4"), tolerance), 1e-9);
        EXPECT_LE(error_of(columns, golden_table("a_tiny/textbook_col_9x4"), tolerance), 1e-9);
    }
}

class GoldenPowerLaw : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenPowerLaw, TheWholeJob)
{
    const std::string name = std::string("b_powerlaw/") + GetParam();
    const Json golden = golden_json(name + ".json");
    const GoldenInput input{testing::read_file(golden_path("b_powerlaw/rows.adj.txt")), "",
                            "b_powerlaw/init_row_504x16", "b_powerlaw/init_col_404x16"};
    compare_run(GoldenRun(golden.at("config"), golden.at("epochs"), input), golden, name,
                tolerance_of(golden.at("config")));
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPowerLaw,
                         ::testing::Values("M4_bf16_cg", "M4_bf16_cholesky", "M4_f32_cg",
                                           "M4_f32pure_cholesky", "M4_f64_cholesky"),
                         [](const auto& instance) { return std::string(instance.param); });

} // namespace
} // namespace alxsim
