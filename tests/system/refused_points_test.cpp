// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

/// Points that cannot be made, or do not fit, among others: `check` and `run` go on without them.
namespace alxsim::testing {
namespace {

Json transformer(const Json& extra)
{
    Json study = Json::parse(R"({
        "study": "s", "numerics": false, "fidelity": "analytic", "band": false,
        "machine": {"chip": "tpu_v5e", "cores": 16},
        "workload": {"transformer": {"preset": "gpt2-small", "batch": 16, "mesh": {"data": 16, "tensor": 1}}}})");
    study.merge_patch(extra);
    return study;
}

/// The mesh is that of the 16 cores in the middle.
Json meshes()
{
    return transformer({{"sweep", {{"/machine/cores", {8, 16, 32}}}}});
}

/// A dead link on an axis without a wrap: that machine cannot be made.
Json dead_link()
{
    return transformer(Json::parse(R"({"series": [{"name": "whole"}, {"name": "cut", "set": {
        "/machine/faults": [{"link": ["0,0", "0,1"], "bandwidth": 0}],
        "/machine/slice": "2x8"}}]})"));
}

/// A slice of another form than the chip's.
Json wrong_slice()
{
    return transformer({{"sweep", {{"/machine/slice", {"4x4", "2x2x4", "2x8"}}}}});
}

class RefusedPoints : public ::testing::Test {
protected:
    std::string path(const Json& study) { return folder_.write("s.json", study.dump()); }
    Outcome check(const Json& study, std::vector<std::string> more = {})
    {
        more.insert(more.begin(), {"check", path(study)});
        return run_program(more);
    }
    Outcome run(const Json& study, std::vector<std::string> more = {})
    {
        more.insert(more.begin(), {"run", path(study), "-o", folder_.path("out"), "--quiet"});
        return run_program(more);
    }
    Json report() { return load_json(folder_.path("out/report.json")); }

    /// Whether check and run end with code 2 and tell which points of how many were refused.
    void expect_refused(const Json& study, const std::string& head, const std::string& why)
    {
        for (const Outcome& outcome : {check(study), run(study)}) {
            EXPECT_EQ(outcome.exit_code, 2);
            EXPECT_EQ(outcome.errors.find("alxsim: " + head), 0U) << outcome.errors;
            EXPECT_NE(outcome.errors.find(why), std::string::npos) << outcome.errors;
        }
    }

private:
    TemporaryFolder folder_;
};

TEST_F(RefusedPoints, LeaveTheOthersTimed)
{
    expect_refused(meshes(), "2 of 3 points were refused", "  s, cores 8: ");
    const Json points = report().at("points");
    EXPECT_GT(points.at(1).at("epoch_seconds").get<double>(), 0);
    for (const std::size_t refused : {0U, 2U}) {
        const Json& point = points.at(refused);
        EXPECT_EQ(point.at("no_result").at("kind"), "refused");
        EXPECT_EQ(point.at("no_result").at("why"), point.at("error"));
    }
}

TEST_F(RefusedPoints, MayBeThoseWhoseMachinesCannotBeMade)
{
    expect_refused(dead_link(), "1 of 2 points was refused", "cuts a line of chips in two");
    EXPECT_EQ(report().at("points").at(1).at("machine").at("slice"), "2x8");
    expect_refused(wrong_slice(), "1 of 3 points was refused", "slice '2x2x4'");
    EXPECT_EQ(report().at("points").at(1).at("machine").at("slice"), "2x2x4");
    EXPECT_EQ(report().at("points").at(1).at("machine").at("cores"), 16);
}

TEST_F(RefusedPoints, AreToldByCheckInPlaceAndAsJson)
{
    const Outcome table = check(meshes());
    EXPECT_NE(table.output.find("refused\n"), std::string::npos) << table.output;
    const Json points = Json::parse(check(meshes(), {"--json"}).output).at("points");
    EXPECT_EQ(points.at(0).at("no_result").at("kind"), "refused");
    EXPECT_GT(points.at(1).at("epoch_seconds").get<double>(), 0);
}

TEST_F(RefusedPoints, ThatAreAllThereAreStandInTheReportAndInWhatCheckWrites)
{
    Json study = meshes();
    study["sweep"] = {{"/machine/cores", {8, 32}}};
    expect_refused(study, "2 of 2 points were refused", "/workload/transformer/mesh");
    for (const Json& written : {report(), Json::parse(check(study, {"--json"}).output)}) {
        const Json& points = written.at("points");
        ASSERT_EQ(points.size(), 2U);
        for (const Json& point : points) {
            EXPECT_EQ(point.at("no_result").at("kind"), "refused");
            EXPECT_EQ(point.at("fits"), false) << "nobody knows, and no time stands";
        }
    }
}

TEST_F(RefusedPoints, OneReasonForAllEndsTheRunAndKeepsAnEarlierReport)
{
    ASSERT_EQ(run(transformer(Json::object())).exit_code, 0);
    const Json before = report();
    const Json study = transformer(Json::parse(
        R"({"machine": {"cores": 8}, "sweep": {"/workload/transformer/batch": [16, 32]}})"));
    for (const Outcome& outcome : {check(study), run(study)}) {
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(outcome.output, "");
        EXPECT_NE(outcome.errors.find("/workload/transformer/mesh"), std::string::npos);
        EXPECT_EQ(outcome.errors.find(" refused"), std::string::npos);
    }
    EXPECT_EQ(report(), before);
    for (const Json& point : Json::parse(check(study, {"--json"}).output).at("points")) {
        EXPECT_EQ(point.at("no_result").at("kind"), "refused");
    }
}

TEST_F(RefusedPoints, AStudyWithAnUnknownFieldRunsNothing)
{
    Json study = meshes();
    study["workload"]["transformer"]["batches"] = 3;
    for (const Outcome& outcome : {check(study), run(study)}) {
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(outcome.output, "");
        EXPECT_NE(outcome.errors.find("unknown field 'batches'"), std::string::npos);
    }
}

/// The point of 8 cores does not fit.
Json too_large()
{
    return transformer(
        Json::parse(R"({"workload": {"transformer": {"preset": "gpt2-xl", "batch": 128,
        "mesh": {"data": -1, "tensor": 1}}}, "sweep": {"/workload/transformer/batch": [128, 4096]}})"));
}

TEST_F(RefusedPoints, PointsThatDoNotFitAreCountedAndFailARunThatWantsAll)
{
    const Outcome usual = run(too_large());
    EXPECT_EQ(usual.exit_code, 0) << usual.errors;
    const std::string unfit = report().at("points").at(0).contains("no_result") ? "2 do" : "1 does";
    EXPECT_NE(usual.output.find("Without a time: " + unfit + " not fit into memory\n"),
              std::string::npos)
        << usual.output;
    EXPECT_EQ(run(too_large(), {"--fail-if-missing"}).exit_code, 3);
    EXPECT_EQ(run(transformer(Json::object()), {"--fail-if-missing"}).exit_code, 0);
}

TEST_F(RefusedPoints, ASettingThatTheSweepReplacesIsRefusedByRunAndCheck)
{
    const std::vector<std::string> set{"--set", "/machine/cores=16"};
    for (const Outcome& outcome : {check(meshes(), set), run(meshes(), set)}) {
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_NE(outcome.errors.find("would change nothing: the sweep sets /machine/cores"),
                  std::string::npos)
            << outcome.errors;
    }
    EXPECT_EQ(check(meshes(), {"--set", "/sweep/~1machine~1cores=[16]"}).exit_code, 0);
}

} // namespace
} // namespace alxsim::testing
