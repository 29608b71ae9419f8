// SPDX-License-Identifier: Apache-2.0
// Transformers as users run them.
#include "base/npy.h"
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

const std::string gallery = std::string(ALXSIM_SOURCE_DIR) + "/experiments/galleries/transformer/";

Json tiny_study(const Json& extra = Json::object())
{
    Json study = Json::parse(R"({"study": "tiny", "numerics": true, "fidelity": "detailed",
        "machine": {"chip": "tpu_v5e", "cores": 4},
        "workload": {"transformer": {"layers": 2, "hidden": 32, "heads": 4, "vocabulary": 256,
            "sequence": 16, "batch": 4, "dtype": "f32", "steps": 4}}})");
    study.merge_patch(extra);
    return study;
}

Json with(const Json& fields)
{
    return tiny_study({{"workload", {{"transformer", fields}}}});
}

std::string refusal_of(const Json& study)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.errors;
}

TEST(Transformer, HasALossAStepThatNoShardingChanges)
{
    std::vector<double> serial;
    for (const char* sharding : {"1d", "1d_sequence", "2d", "2d_gathered"}) {
        const Json point = run_one_point(with({{"sharding", sharding}}));
        EXPECT_EQ(point.at("interval"), "training step");
        ASSERT_EQ(point.at("quality").size(), 4U);
        for (std::size_t step = 0; step < 4; ++step) {
            const Json& quality = point.at("quality").at(step);
            const double loss = quality.at("loss").get<double>();
            EXPECT_NEAR(quality.at("perplexity").get<double>(), std::exp(loss),
                        1e-6 * std::exp(loss));
            if (std::string(sharding) == "1d") {
                serial.push_back(loss);
            }
            EXPECT_NEAR(loss, serial.at(step), 1e-4) << sharding;
        }
        EXPECT_GT(point.at("epoch_seconds").get<double>(), 0);
    }
}

TEST(Transformer, IsTimedAlikeWithAndWithoutItsNumbers)
{
    Json with_numbers = run_one_point(tiny_study());
    Json alone = run_one_point(tiny_study({{"numerics", false}}));
    // The host dispatches a second step while the first one runs.
    with_numbers.at("phases").erase("dispatch");
    alone.at("phases").erase("dispatch");
    EXPECT_EQ(with_numbers.at("phases"), alone.at("phases"));
    EXPECT_EQ(with_numbers.at("memory"), alone.at("memory"));
    // Four steps moved what one is said to move.
    for (const auto& [name, count] : alone.at("counters").at("collectives").items()) {
        const Json& moved = with_numbers.at("counters").at("collectives").at(name);
        EXPECT_EQ(moved.at("elements"), 4 * count.at("elements").get<std::int64_t>()) << name;
    }
}

TEST(Transformer, TellsItsThroughputAndModelFlopUtilization)
{
    const Json point = run_one_point(tiny_study({{"numerics", false}}));
    const Json& throughput = point.at("throughput");
    const double seconds = point.at("epoch_seconds").get<double>();
    EXPECT_EQ(throughput.at("unit"), "tokens");
    EXPECT_DOUBLE_EQ(throughput.at("per_second").get<double>(), 4 * 16 / seconds);
    // 6 operations a token for each of 12 h^2 weights of a layer and of V h of the head, and
    // attention's 12 s h a layer.
    const double operations = 64 * (6 * (2 * 12 * 32 * 32 + 256 * 32) + 2 * 12 * 16 * 32);
    EXPECT_DOUBLE_EQ(throughput.at("useful_operations").get<double>(), operations);
    EXPECT_NEAR(throughput.at("mfu").get<double>(), operations / (seconds * 4 * 1.97e14),
                0.01 * throughput.at("mfu").get<double>());
    EXPECT_NEAR(throughput.at("usd_per_million").get<double>(),
                point.at("cost_usd").get<double>() / 64 * 1e6, 1e-9);
}

TEST(Transformer, CountsWhatItComputesAgainAsHardwareFlopUtilization)
{
    const auto throughput_with = [](const char* recomputation) {
        Json study = with({{"recomputation", recomputation}});
        study["numerics"] = false;
        return run_one_point(study).at("throughput");
    };
    const auto computed = [](const Json& throughput) {
        return throughput.at("computed_operations").get<double>();
    };
    const Json none = throughput_with("none");
    const Json full = throughput_with("full");
    EXPECT_EQ(none.at("useful_operations"), full.at("useful_operations"));
    // A layer's forward once more: 2 operations a token for each of its weights but those of the
    // last product, whose result nobody needs, and attention's 4 s h.
    const double forward = 64 * 2 * (2 * 12 * 32 * 32 + 2 * 2 * 16 * 32);
    EXPECT_LE(computed(full) - computed(none), forward);
    EXPECT_GT(computed(full) - computed(none), 0.6 * forward);
    EXPECT_NEAR(full.at("hfu").get<double>() / full.at("mfu").get<double>(),
                computed(full) / full.at("useful_operations").get<double>(), 1e-9);
}

TEST(Transformer, WritesItsParameters)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"run", folder.write("s.json", tiny_study().dump()), "-o", folder.path("out"),
                     "--export", folder.path("export"), "--quiet", "--no-band"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const NpyMatrix table = read_npy(folder.path("export") + "/0/wte.npy");
    EXPECT_EQ(table.rows, 256);
    EXPECT_EQ(table.columns, 32);
    EXPECT_EQ(read_npy(folder.path("export") + "/0/1.fc2.w.npy").rows, 128);
}

TEST(Transformer, RefusesSizesThatDoNotDivideAsTheShardingNeeds)
{
    EXPECT_THAT(refusal_of(with({{"heads", 2}, {"mesh", {{"tensor", 4}}}})),
                HasSubstr("/workload/transformer/heads: found 2; allowed: multiples of 4, the "
                          "devices that share products (tensor)"));
    EXPECT_THAT(refusal_of(with({{"batch", 3}, {"sharding", "2d"}})),
                HasSubstr("/workload/transformer/batch: found 3; allowed: multiples of 2"));
    EXPECT_THAT(refusal_of(with({{"mesh", {{"data", 2}}}, {"sharding", "2d"}})),
                HasSubstr("a square number"));
    EXPECT_THAT(
        refusal_of(with({{"mesh", {{"tensor", 2}, {"data", 3}}}})),
        HasSubstr("axes whose lengths make the 4 devices of the machine (a name like v5p-64 counts "
                  "TensorCores: 64 are 32 chips, and 32 devices; -1 takes what the others leave)"));
    EXPECT_THAT(refusal_of(with({{"mesh", {{"row", 2}}}})),
                HasSubstr("allowed: data, fsdp, tensor"));
    EXPECT_THAT(refusal_of(with({{"sharding", "3d"}})), HasSubstr("2d_gathered"));
    EXPECT_THAT(refusal_of(with({{"vocabulary", 64}})),
                HasSubstr("256 or more, as tokens are bytes"));
    EXPECT_THAT(refusal_of(with({{"text", "none.txt"}})), HasSubstr("none.txt"));
    Json sizeless = tiny_study();
    sizeless["workload"]["transformer"].erase("heads");
    EXPECT_THAT(refusal_of(sizeless), HasSubstr("found neither preset nor heads"));
}

/// The cells of a line of CSV; what holds a comma stands in quotes, none holds quotes.
std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> cells{""};
    bool quoted = false;
    for (const char letter : line) {
        if (letter == '"') {
            quoted = !quoted;
        } else if (letter == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += letter;
        }
    }
    return cells;
}

/// Reads a committed table: a point for each line, column -> cell.
std::vector<std::map<std::string, std::string>> committed(const std::string& name)
{
    std::istringstream csv(read_file(gallery + name + ".csv"));
    std::string line;
    std::getline(csv, line);
    const std::vector<std::string> columns = cells_of(line);
    std::vector<std::map<std::string, std::string>> points;
    while (std::getline(csv, line)) {
        const std::vector<std::string> cells = cells_of(line);
        std::map<std::string, std::string>& point = points.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            point[columns[i]] = cells.at(i);
        }
    }
    return points;
}

class GalleryOfTransformers : public ::testing::TestWithParam<const char*> {
protected:
    static Json run(const std::string& fidelity)
    {
        const TemporaryFolder out;
        const Outcome outcome =
            run_program({"run", gallery + GetParam() + ".json", "-o", out.path("out"), "--fidelity",
                         fidelity, "--no-band", "--quiet"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return Json::parse(read_file(out.path("out") + "/report.json"));
    }
};

TEST_P(GalleryOfTransformers, IsWhatTheProgramSaysTodayAndTheAnalyticModelWithin5Percent)
{
    const auto expected = committed(GetParam());
    const Json report = run("detailed");
    const Json analytic = run("analytic");
    ASSERT_EQ(report.at("points").size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Json& point = report.at("points").at(i);
        const std::string& key = expected[i].at("series");
        EXPECT_EQ(point.at("series"), key);
        EXPECT_EQ(point.at("machine").at("id"), expected[i].at("machine.id")) << key;
        EXPECT_EQ(point.at("fits").dump(), expected[i].at("fits")) << key;
        if (!point.at("fits").get<bool>()) {
            continue;
        }
        const double seconds = point.at("epoch_seconds").get<double>();
        EXPECT_NEAR(seconds / std::stod(expected[i].at("epoch_seconds")), 1, 1e-9) << key;
        EXPECT_NEAR(analytic.at("points").at(i).at("epoch_seconds").get<double>() / seconds, 1,
                    0.05)
            << key;
    }
    for (const Json& hypothesis : report.at("hypotheses")) {
        EXPECT_TRUE(hypothesis.at("holds").get<bool>()) << hypothesis.dump();
    }
}

INSTANTIATE_TEST_SUITE_P(Studies, GalleryOfTransformers,
                         ::testing::Values("tp2d", "tp_scaling", "weak_scaling"),
                         [](const auto& one) { return std::string(one.param); });

TEST(AdviseOnTransformers, FindsTwoDimensionsFromOneOn64Chips)
{
    const TemporaryFolder folder;
    Json study = Json::parse(read_file(gallery + "tp_scaling.json"));
    study.erase("series");
    study.erase("hypotheses");
    study["machine"]["cores"] = 64;
    const Outcome outcome = run_program(
        {"advise", folder.write("s.json", study.dump()), "--choices", "sharding", "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr(R"(--set '/workload/transformer/sharding="2d"')"));
}

} // namespace
} // namespace alxsim::testing
