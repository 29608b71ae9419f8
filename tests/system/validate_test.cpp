// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

/// `alxsim validate` from outside.
namespace alxsim::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// A stream of 1 GiB, of which the reference is `reference` seconds.
Json stream_row(double reference, const Json& extra = Json::object())
{
    Json row = Json::parse(R"({"name": "a stream", "kind": "predicted", "source": "this test",
        "unit": "s", "tolerance": 0.1, "simulate": {"figure": "seconds",
        "op": {"work": "hbm_stream", "bytes_read": 1073741824},
        "machine": {"chip": "tpu_v6e", "cores": 1}}})");
    row["reference"] = reference;
    row.merge_patch(extra);
    return row;
}

std::string rows_file(const TemporaryFolder& folder, const std::vector<Json>& rows)
{
    return folder.write("rows.json", Json{{"topic", "mine"}, {"rows", rows}}.dump());
}

/// What `alxsim op` says of the same stream.
double stream_seconds()
{
    const Outcome outcome =
        run_program({"op", R"({"work": "hbm_stream", "bytes_read": 1073741824})", "--chip",
                     "tpu_v6e", "--json"});
    return Json::parse(outcome.output).at("simulated_seconds");
}

TEST(Validate, SimulatesWhatAlxsimOpSimulates)
{
    const TemporaryFolder folder;
    const double seconds = stream_seconds();
    const Outcome outcome =
        run_program({"validate", rows_file(folder, {stream_row(seconds / 1.05)}), "--json", "-o",
                     folder.path("out.json")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json validated = Json::parse(outcome.output);
    const Json& row = validated.at("validation").front();
    EXPECT_EQ(row.at("simulated"), seconds);
    EXPECT_NEAR(row.at("error").get<double>(), 0.05, 1e-9);
    EXPECT_EQ(row.at("passes"), true);
    EXPECT_NEAR(validated.at("statistics").back().at("largest").get<double>(), 0.05, 1e-9);
    EXPECT_EQ(read_file(folder.path("out.json")), outcome.output);
}

TEST(Validate, ARowOutsideItsToleranceFailsAndNamesTheTerm)
{
    const TemporaryFolder folder;
    const double seconds = stream_seconds();
    const Outcome outcome = run_program(
        {"validate", rows_file(folder, {stream_row(seconds), stream_row(2 * seconds)})});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.output, HasSubstr("FAILED a stream: HBM bandwidth"));
    EXPECT_THAT(outcome.output, HasSubstr("-50.0 %"));
}

TEST(Validate, AnUpperBoundFailsOnlyWhereItIsExceeded)
{
    const TemporaryFolder folder;
    const double seconds = stream_seconds();
    const Json bound{{"check", "at_most"}, {"tolerance", 0}};
    EXPECT_EQ(
        run_program({"validate", rows_file(folder, {stream_row(9 * seconds, bound)})}).exit_code,
        0);
    EXPECT_EQ(
        run_program({"validate", rows_file(folder, {stream_row(0.9 * seconds, bound)})}).exit_code,
        1);
}

TEST(Validate, RefusesRowsThatAreNone)
{
    const TemporaryFolder folder;
    const auto errors_of = [&](const Json& extra) {
        const Outcome outcome =
            run_program({"validate", rows_file(folder, {stream_row(1, extra)})});
        EXPECT_EQ(outcome.exit_code, 2) << extra;
        return outcome.errors;
    };
    EXPECT_THAT(errors_of({{"kind", "guessed"}}), HasSubstr("/rows/0/kind"));
    EXPECT_THAT(errors_of({{"simulate", {{"machine", nullptr}}}}),
                HasSubstr("/rows/0/simulate: missing field 'machine'"));
    EXPECT_THAT(errors_of({{"simulate", {{"figure", "rate"}}}}),
                HasSubstr("missing field 'amount'"));
    EXPECT_THAT(errors_of({{"simulate", {{"op", {{"work", "hbm"}}}}}}), HasSubstr("rows.json"));
    EXPECT_EQ(run_program({"validate", folder.path("none.json")}).exit_code, 2);
}

void expect_verdict_follows_from_error(const Json& row)
{
    ASSERT_TRUE(row.at("error").is_number()) << row;
    const double error = row.at("error");
    EXPECT_NEAR(error, row.at("simulated").get<double>() / row.at("reference").get<double>() - 1,
                1e-9)
        << row;
    const double size = row.at("check") == "at_most" ? error : std::abs(error);
    EXPECT_EQ(row.at("passes").get<bool>(), size <= row.at("tolerance").get<double>()) << row;
}

/// Whether it is of whole jobs, which may miss their tolerance, and then are told to.
bool is_of_jobs(const Json& row)
{
    const std::string topic = row.at("topic");
    return topic.rfind("ALX", 0) == 0 || topic.rfind("training steps", 0) == 0;
}

TEST(Validate, OwnRowsHoldForMachinesAndNameTheTermOfAnEpoch)
{
    const Outcome outcome = run_program({"validate", "--json"});
    const Json validated = Json::parse(outcome.output);
    std::set<std::string> topics;
    std::set<std::string> kinds;
    bool all = true;
    for (const Json& row : validated.at("validation")) {
        expect_verdict_follows_from_error(row);
        topics.insert(row.at("topic"));
        kinds.insert(row.at("kind").get<std::string>());
        all = all && row.at("passes").get<bool>();
        if (!is_of_jobs(row)) {
            EXPECT_TRUE(row.at("passes").get<bool>()) << row;
        }
    }
    EXPECT_EQ(topics.size(), 12U);
    EXPECT_EQ(kinds, (std::set<std::string>{"calibrated", "predicted"}));
    EXPECT_EQ(outcome.exit_code, all ? 0 : 1);
    for (const Json& row : validated.at("validation")) {
        if (row.at("unit") == "s" && is_of_jobs(row) && row.at("check") == "near") {
            EXPECT_THAT(row.at("term").get<std::string>(),
                        ContainsRegex(" of the (epoch|training step|run of the program)'s "));
        }
    }
}

/// Returns those of the rows of a topic, by name; a job that does not fit into memory has none.
std::map<std::string, double> errors_of(const std::string& topic)
{
    const Json validated = Json::parse(run_program({"validate", "--json"}).output);
    std::map<std::string, double> errors;
    for (const Json& row : validated.at("validation")) {
        if (row.at("topic") == topic) {
            EXPECT_TRUE(row.at("error").is_number()) << row;
            errors[row.at("name")] =
                row.at("error").is_number() ? row.at("error").get<double>() : 0;
        }
    }
    return errors;
}

/// What a row's error is, so that a change of it is seen; those that miss are told of in
/// answers/validate/training/README.md.
void expect_told(const std::string& topic, const std::map<std::string, double>& told)
{
    const std::map<std::string, double> errors = errors_of(topic);
    EXPECT_EQ(errors.size(), told.size());
    for (const auto& [name, error] : told) {
        ASSERT_EQ(errors.count(name), 1U) << name;
        EXPECT_NEAR(errors.at(name), error, 0.01) << name;
    }
}

TEST(Validate, StepsAsCompiledAreOffByWhatIsTold)
{
    expect_told("training steps as compiled", {{"16B on v5e-256", 0.044},
                                               {"64B on v5e-256", 0.122},
                                               {"128B on v5e-256", 0.288},
                                               {"22B on v4-128", -0.072},
                                               {"32B on v5p-128", 0.130},
                                               {"128B on v5p-256", 0.104},
                                               {"Llama3.1-8B on v6e-8", 0.293},
                                               {"Mistral-7B on v6e-8", 0.354},
                                               {"6.7B on v3-256", -0.236}});
}

TEST(Validate, StatedStepsFitWhereTheyRanAndAreOffByWhatIsTold)
{
    expect_told("training steps stated as transformer",
                {{"22B on v4-128", -0.032},
                 {"22B on 4 x v4-128", -0.030},
                 {"16B on v5e-256", 0.021},
                 {"16B on 2 x v5e-256", 0.019},
                 {"16B on 8 x v5e-256", 0.025},
                 {"64B on v5e-256", 0.053},
                 {"64B on 4 x v5e-256", 0.050},
                 {"128B on v5e-256", 0.029},
                 {"32B on v5p-128", 0.014},
                 {"128B on v5p-256", -0.048},
                 {"512B on v5p-1024", 0.108},
                 {"Llama3.1-8B on v6e-8", 0.039},
                 {"Llama3.1-70B on v6e-32", -0.064},
                 {"Llama3.1-70B on v6e-256", -0.018},
                 {"Mistral-7B on v6e-8", 0.073},
                 {"Llama3.1-70B on 7x, 4x4x4", 0.120},
                 {"6.7B on v3-256", -0.125},
                 {"Mixtral-8x7B on v6e-256", -0.088},
                 {"Llama3.1-70B on 7x, 4x4x4, FP8", 0.173}});
}

TEST(Validate, StatedDecodingIsOffByWhatIsTold)
{
    expect_told("decoding stated as transformer",
                {{"Llama3.3-70B on v6e-8, 64 sequences", -0.013},
                 {"Llama3.3-70B on v6e-8, 128 sequences", -0.103}});
}

TEST(Validate, SaysWhatShareOfPublishedTimesItsBandsHold)
{
    const Outcome outcome = run_program({"validate", "--coverage", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json told = Json::parse(outcome.output);
    int in_90 = 0;
    for (const Json& row : told.at("coverage")) {
        const double reference = row.at("reference");
        EXPECT_LE(row.at("low_90"), row.at("low_50")) << row;
        EXPECT_LE(row.at("low_50"), row.at("high_50")) << row;
        EXPECT_LE(row.at("high_50"), row.at("high_90")) << row;
        EXPECT_EQ(row.at("in_90").get<bool>(),
                  row.at("low_90") <= reference && row.at("high_90") >= reference);
        in_90 += row.at("in_90").get<bool>() ? 1 : 0;
    }
    const Json& all = told.at("statistics").back();
    EXPECT_EQ(all.at("topic"), "all");
    EXPECT_EQ(all.at("count"), told.at("coverage").size());
    EXPECT_GE(told.at("coverage").size(), 16U);
    EXPECT_NEAR(all.at("share_in_90").get<double>() *
                    static_cast<double>(told.at("coverage").size()),
                in_90, 1e-9);
}

TEST(Validate, HasARowInOneLineWhateverItsName)
{
    const TemporaryFolder folder;
    const std::vector<Json> rows{stream_row(1, {{"name", "two\nlines\nof a name"}}), stream_row(1)};
    const Outcome outcome = run_program({"validate", rows_file(folder, rows)});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("FAILED  two lines of a name"));
}

} // namespace
} // namespace alxsim::testing
