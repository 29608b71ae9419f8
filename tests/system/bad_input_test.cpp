// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "base/printable.h"
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/wait.h>

namespace alxsim::testing {
namespace {

/// A change to the small study, and what the message must say.
struct BadStudy {
    const char* name;
    const char* patch;
    std::vector<std::string> message_parts;
};

void PrintTo(const BadStudy& study, std::ostream* out)
{
    *out << study.name;
}

class BadStudyIsRefused : public ::testing::TestWithParam<BadStudy> {};

TEST_P(BadStudyIsRefused, WithExitCodeTwoAndAMessageThatNamesPlaceFoundAndAllowed)
{
    const TemporaryFolder folder;
    const std::string study =
        folder.write("s.json", small_study(folder, Json::parse(GetParam().patch)).dump());
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
    const Outcome checked = run_program({"check", study});
    EXPECT_EQ(checked.exit_code, 2) << "check lets it pass: " << checked.output;
    for (const std::string& part : GetParam().message_parts) {
        EXPECT_NE(outcome.errors.find(part), std::string::npos)
            << "missing '" << part << "' in: " << outcome.errors;
        EXPECT_NE(checked.errors.find(part), std::string::npos)
            << "missing '" << part << "' in what check says: " << checked.errors;
    }
    const std::vector<std::string> left = folder.names();
    EXPECT_EQ(std::count(left.begin(), left.end(), "report.json"), 0)
        << "a refused study wrote a report";
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadStudyIsRefused,
    ::testing::Values(
        BadStudy{"UnknownField",
                 R"({"machine": {"core": 2}})",
                 {"s.json", "/machine", "unknown field 'core'", "did you mean 'cores'"}},
        BadStudy{
            "TestRowThatFitsNoBatch",
            R"({"workload": {"evaluation": {"batch": {"lines": 1, "rows": 1, "ground_truth_lines": 1}}}})",
            {"/workload/evaluation/batch/lines", "test row"}},
        BadStudy{"TierThatTablesHaveNot",
                 R"({"workload": {"alx": {"table_tier": {"updated": "storage"}}}})",
                 {"/workload/alx/table_tier/updated", "storage", "hbm", "host"}},
        BadStudy{"UnknownTier",
                 R"({"workload": {"alx": {"table_tier": {"updated": "host", "fixed": "disk"}}}})",
                 {"/workload/alx/table_tier/fixed", "disk", "hbm", "host", "storage"}},
        BadStudy{"FixedTableInStorageWithoutTheOtherBelow",
                 R"({"workload": {"alx": {"table_tier": {"fixed": "storage"}}}})",
                 {"/workload/alx/table_tier/updated", "hbm", "\"fixed\": \"storage\"", "host"}},
        BadStudy{"CopyOfATableThatHbmHasNoneOf",
                 R"({"workload": {"alx": {"gather": "replicated",
                                          "table_tier": {"updated": "host", "fixed": "host"}}}})",
                 {"/workload/alx/table_tier/fixed", "host", "replicated", "hbm"}},
        BadStudy{"WorldsOfNoFile", R"({"given": "none.json"})", {"none.json"}},
        BadStudy{"MetricInOtherWords",
                 R"({"workload": {"evaluation": {"metrics": ["f1_at_5"]}}})",
                 {"/workload/evaluation/metrics/0", "f1_at_5", "ndcg_at_10"}},
        BadStudy{"NamesOfOtherLibraries",
                 R"({"workload": {"alx": {"factors": 64}}})",
                 {"/workload/alx: unknown field 'factors'; did you mean 'dim'?"}},
        BadStudy{"SizesOfOtherLibraries",
                 R"({"workload": {"dataset": {"file": null,
                                              "generate": {"users": 9, "items": 9, "links": 9}}}})",
                 {"/workload/dataset/generate: unknown field 'users'; did you mean 'rows'?"}},
        BadStudy{"UsersOfADataset",
                 R"({"workload": {"dataset": {"users": 9}}})",
                 {"/workload/dataset: unknown field 'users'; did you mean 'rows'?"}},
        BadStudy{"PrecisionOfOtherLibraries",
                 R"({"workload": {"alx": {"table_dtype": "bfloat16"}}})",
                 {"/workload/alx/table_dtype: found string \"bfloat16\"; did you mean 'bf16'?"}},
        BadStudy{"CollectiveWithoutItsDashes",
                 R"({"workload": {"alx": {"gather": "allreduce"}}})",
                 {"/workload/alx/gather: found string \"allreduce\"; did you mean 'all_reduce'?"}},
        BadStudy{"CoresByChips",
                 R"({"machine": {"chips": 4}})",
                 {"/machine: unknown field 'chips'; did you mean 'cores', the TensorCores"}},
        BadStudy{"CoresAtTheTop", R"({"cores": 4})", {"did you mean '/machine/cores'?"}},
        BadStudy{"WrongType",
                 R"({"machine": {"cores": "two"}})",
                 {"/machine/cores", "found string \"two\"", "allowed: integer >= 1"}},
        BadStudy{"ZeroCores",
                 R"({"machine": {"cores": 0}})",
                 {"/machine/cores", "found number 0", "integer >= 1"}},
        BadStudy{"ZeroCoresInTheSweep",
                 R"({"sweep": {"/machine/cores": [2, 0]}})",
                 {"/machine/cores", "found number 0"}},
        BadStudy{
            "HalfAChip", R"({"sweep": {"/machine/cores": [3]}})", {"s.json", "/machine", "3", "2"}},
        BadStudy{
            "NoRectangle", R"({"sweep": {"/machine/cores": [74]}})", {"/machine", "74", "tpu_v3"}},
        BadStudy{"MisspeltSweep",
                 R"({"sweep": {"/machine/coers": [2]}})",
                 {"unknown field 'coers'", "did you mean 'cores'"}},
        BadStudy{"UnknownChip",
                 R"({"machine": {"chip": "tpu_v33"}})",
                 {"s.json: /machine/chip: unknown chip 'tpu_v33'", "tpu_v3"}},
        BadStudy{"ThresholdOfAMissingFile",
                 R"({"workload": {"dataset": {"file": "rating.csv", "threshold": 3}}})",
                 {"rating.csv: cannot be opened"}},
        BadStudy{"LinksTooSlowForSimulatedTime",
                 R"({"machine": {"overrides": {"ici_link_bw_oneway": 1e-3}},
                     "fidelity": "analytic", "sweep": {"/machine/cores": [4]}})",
                 {"s.json: /machine/overrides/ici_link_bw_oneway: found 0.001", "a duration of",
                  "e+", "0 to 100 days"}},
        BadStudy{"MemoryTooSlowForItsClock",
                 R"({"machine": {"overrides": {"hbm_bw_chip": 1}}, "fidelity": "analytic"})",
                 {"s.json: /machine", "hbm_bw_chip: found 1 B/s", "/machine/overrides/hbm_bw_chip",
                  "allowed: 1.02e+08 to 1.02e+15"}},
        BadStudy{"ClockTooSlowForSimulatedTime",
                 R"({"machine": {"overrides": {"op_overhead_s": 1e-6, "clock_hz": 1e-300}},
                     "fidelity": "analytic", "sweep": {"/machine/cores": [4]}})",
                 {"s.json: /machine/overrides/clock_hz: found 1e-300", "0 to 100 days"}},
        BadStudy{"WorkTooLongForSimulatedTime",
                 R"({"sweep": {"/machine/cores": [4]}, "workload": {"dataset": null, "split": null,
                     "alx": null, "op_graph": {"ops": [{"work": "matmul", "name": "all",
                     "batch": 1000000000, "m": 1000000000, "k": 1000000, "n": 1000000,
                     "reads": [], "writes": []}]}}})",
                 {"s.json: /workload: found a duration of", "s of op 0 'all'", "0 to 100 days"}},
        BadStudy{"ChipByAPartOfItsName",
                 R"({"machine": {"chip": "tpu_v5"}})",
                 {"/machine/chip: unknown chip 'tpu_v5'; did you mean v5e or v5p?"}},
        BadStudy{"CoresBesideAChipThatHasThem",
                 R"({"machine": {"chip": "v4-8", "cores": 16}, "sweep": null})",
                 {"s.json: /machine/cores: found 16 beside chip 'v4-8', which has 8"}},
        BadStudy{"SweptCoresBesideAChipThatHasThem",
                 R"({"machine": {"chip": "v4-8", "cores": null},
                     "sweep": {"/machine/cores": [8]}})",
                 {"s.json: /sweep/~1machine~1cores: found a sweep of the cores", "v4-8"}},
        BadStudy{"SizeOfAnOpThatIsNotWhole",
                 R"({"sweep": {"/machine/cores": [4]}, "workload": {"dataset": null, "split": null,
                     "alx": null, "op_graph": {"ops": [{"work": "vector",
                     "elements": "7/devices"}]}}})",
                 {"/workload/op_graph: /ops/0/elements: found \"7/devices\", which is 7/4"}},
        BadStudy{"DimThatIsNotWhole",
                 R"({"workload": {"alx": {"dim": 6.45e1}}})",
                 {"/workload/alx/dim: found number 64.5; allowed: integer"}},
        BadStudy{"UnknownOverride",
                 R"({"machine": {"overrides": {"ici_link_bw": 1e9}}})",
                 {"/machine/overrides/ici_link_bw", "ici_link_bw_oneway"}},
        BadStudy{
            "AxisThatTheSliceLacks",
            R"({"workload": {"alx": {"group_axes": ["z"]}}, "sweep": {"/machine/cores": [4]}})",
            {"s.json", "/workload/alx/group_axes", "\"z\"", "allowed are x, y"}},
        BadStudy{"AxisOfTwoUses",
                 R"({"workload": {"alx": {"group_axes": ["x"], "embedding_axes": ["x"]}}})",
                 {"/workload/alx/embedding_axes", "'x'", "group_axes, too"}},
        BadStudy{"StatisticsOfHalfRows",
                 R"({"sweep": null, "machine": {"cores": 4}, "workload": {"alx": {
                     "gather": "ship_statistics", "embedding_axes": ["x", "y"]}}})",
                 {"/workload/alx/gather", "embedding_axes"}},
        BadStudy{
            "HypothesisWithoutSeries",
            R"({"hypotheses": [{"name": "h", "claim": "c", "value": "epoch_seconds", "is": ">", "than": 1}]})",
            {"/hypotheses/0: missing field 'series': ", "a name in \"series\"", "the study's"}},
        BadStudy{
            "HypothesisOfNoSeries",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "smal", "value": "epoch_seconds", "is": ">", "than": 1}]})",
            {"/hypotheses/0/series", "'smal'", "did you mean 'small'"}},
        BadStudy{
            "HypothesisOfNoFigure",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "epoch_second", "is": ">", "than": 1}]})",
            {"/hypotheses/0/value", "did you mean 'epoch_seconds'"}},
        BadStudy{
            "HypothesisOfNoFigureInside",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "network.shar/memory.bytes_per_core", "is": ">", "than": 1}]})",
            {"/hypotheses/0/value: found 'shar', which is no field of network; did you mean "
             "'share'?"}},
        BadStudy{
            "HypothesisOfAnObject",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "waiting/epoch_seconds", "is": ">", "than": 1}]})",
            {"/hypotheses/0/value: found 'waiting', which is an object", "such as waiting.bubble"}},
        BadStudy{
            "HypothesisOfAText",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "fidelity", "is": ">", "than": 1}]})",
            {"found 'fidelity', which is a text"}},
        BadStudy{
            "HypothesisOfNothingInANumber",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "epoch_seconds.x", "is": ">", "than": 1}]})",
            {"found 'x', which is no field of epoch_seconds"}},
        BadStudy{
            "HypothesisOfTwoQuotients",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "epoch_seconds/speedup/efficiency", "is": ">", "than": 1}]})",
            {"a field, or a quotient of two"}},
        BadStudy{
            "HypothesisOfASum",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "(waiting_seconds+idle_seconds)/epoch_seconds", "is": ">", "than": 1}]})",
            {"/hypotheses/0/value", "a field, or a quotient of two"}},
        BadStudy{
            "HypothesisOfMoreCoresThanAreSwept",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "epoch_seconds", "is": ">", "than": 1, "where": {"min_cores": 512}}]})",
            {"/hypotheses/0/where/min_cores", "no point has 512 cores", "the sweep goes from"}},
        BadStudy{
            "HypothesisOfAnUnknownFigure",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "waiting_share", "is": ">", "than": 1}]})",
            {"allowed: numbers such as waiting", "all of them: docs/reference/report.md"}},
        BadStudy{
            "HypothesisWhereNothingIsSwept",
            R"({"hypotheses": [{"name": "h", "claim": "c", "series": "small", "value": "epoch_seconds", "is": ">", "than": 1, "where": {"sweep": {"/workload/alx/dim": 7}}}]})",
            {"/hypotheses/0/where/sweep", "no pointer that the series sweeps"}},
        BadStudy{"InitialTableThatIsNoNpy",
                 R"({"workload": {"alx": {"initial_tables": {"rows": "graph.txt"}}}})",
                 {"graph.txt", "is no NumPy file"}},
        BadStudy{"UnknownScatter",
                 R"({"workload": {"alx": {"scatter": "owner_compute"}}})",
                 {"/workload/alx/scatter", "\"owner_compute\"", "\"owner_computes\""}},
        BadStudy{"MissingFile",
                 R"({"workload": {"dataset": {"file": "nowhere.txt"}}})",
                 {"nowhere.txt"}},
        BadStudy{"TwoDatasets",
                 R"({"workload": {"dataset": {"webgraph": "sparse"}}})",
                 {"/workload/dataset", "exactly one of webgraph, shape, generate, file"}},
        BadStudy{
            "RowThatFitsNoBatch",
            R"({"workload": {"alx": {"long_rows": "refuse", "batch": {"lines": 2, "line_length": 2, "rows": 4}}}})",
            {"s.json", "/workload/alx/batch/lines"}},
        BadStudy{"SliceInOtherWords",
                 R"({"machine": {"slice": "abc"}})",
                 {"/machine/slice", "found string \"abc\"; allowed: string such as \"8x16\""}},
        BadStudy{"NullForANumber",
                 R"({"series": [{"name": "a", "set": {"/workload/alx/reg": null}}]})",
                 {"/workload/alx/reg", "found null; allowed: number >= 0"}},
        BadStudy{"AValueTwiceInASweep",
                 R"({"sweep": {"/machine/cores": [4, 2, 4]}})",
                 {"/sweep", "found 4 twice in /machine/cores"}},
        BadStudy{"SearchOverCores",
                 R"({"search": {"over": {"/machine/cores": [2, 4]}}})",
                 {"/search/over", "found /machine/cores", "below /workload"}},
        BadStudy{"NoTestRow",
                 R"({"workload": {"split": {"min_links": 1000}}})",
                 {"/workload/split", "leaves no test row", "1000 links or more"}},
        BadStudy{"NoOp",
                 R"({"workload": {"dataset": null, "split": null, "alx": null,
                     "op_graph": {"ops": []}}})",
                 {"/workload/op_graph: /ops", "found no op"}},
        BadStudy{"RowBeyondItsTable",
                 R"({"workload": {"dataset": null, "split": null, "alx": null,
                     "op_graph": {"ops": [{"work": "row_gather", "rows": 2, "row_bytes": 256,
                     "table_rows": 10, "pattern": "trace", "ids": [9, 10]}]}}})",
                 {"/ops/0/ids/1", "found 10; allowed: below table_rows = 10"}},
        BadStudy{"ControlCharactersInAName",
                 R"({"series": [{"name": "red \u001b[31m"}]})",
                 {"/series/0/name", "found control characters in 'red \\x1b[31m'"}},
        BadStudy{"CoresBeyond32Bits",
                 R"({"machine": {"cores": 4294967300}})",
                 {"/machine/cores", "found number 4294967300", "integer >= 1 <= 2147483647"}},
        BadStudy{"EpochsBeyond32Bits",
                 R"({"workload": {"alx": {"epochs": 4294967297}}})",
                 {"/workload/alx/epochs", "found number 4294967297", "<= 2147483647"}},
        BadStudy{"EpochsThatWouldBeNegative",
                 R"({"workload": {"alx": {"epochs": 2147483648}}})",
                 {"/workload/alx/epochs", "found number 2147483648", "<= 2147483647"}},
        BadStudy{"EpochsBeyond32BitsAnalytic",
                 R"({"numerics": false, "fidelity": "analytic",
                     "workload": {"alx": {"epochs": 9223372036854775807}}})",
                 {"/workload/alx/epochs", "found number 9223372036854775807", "<= 2147483647"}},
        BadStudy{"EvaluationBeyond32Bits",
                 R"({"workload": {"evaluation": {"every": 4294967296}}})",
                 {"/workload/evaluation/every", "found number 4294967296", "<= 2147483647"}},
        BadStudy{"RowsOfABatchBeyond32Bits",
                 R"({"workload": {"alx": {"batch": {"lines": 2, "rows": 4294967320}}}})",
                 {"/workload/alx/batch/rows", "found number 4294967320", "<= 16777216"}},
        BadStudy{"RowsBeyond32Bits",
                 R"({"workload": {"dataset": {"rows": 4294967320}}})",
                 {"/workload/dataset/rows", "found number 4294967320", "<= 2147483647"}},
        BadStudy{
            "BatchOfMoreBytesThan64BitsCount",
            R"({"workload": {"alx": {"batch": {"lines": 2147483647, "line_length": 2147483647}}}})",
            {"/workload/alx/batch/", "found number 2147483647"}},
        BadStudy{
            "SizesBeyondAllNumbers",
            R"({"workload": {"dataset": {"file": null, "shape": {"rows": 1e300, "columns": 5, "links": 9}}}})",
            {"/workload/dataset/shape/rows", "found number 1e+300"}},
        BadStudy{"IdOutOfRange",
                 R"({"workload": {"dataset": {"columns": 20}}})",
                 {"graph.txt", "line", "20"}}),
    [](const auto& instance) { return std::string(instance.param.name); });

/// A bad data file instead of a bad study.
Outcome run_with_graph(const std::string& graph)
{
    const TemporaryFolder folder;
    const Json study =
        small_study(folder, Json::parse(R"({"workload": {"dataset": {"file": "bad"}}})"));
    folder.write("bad", graph);
    return run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
}

TEST(BadData, AMalformedLineIsNamedByItsNumber)
{
    const Outcome outcome = run_with_graph("0 1 2\n1 2 x7\n");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("bad: line 2"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("x7"), std::string::npos) << outcome.errors;
}

TEST(BadData, ATruncatedGzipFileIsSaidToBeTruncated)
{
    // A gzip header and the beginning of a deflate block, then nothing.
    const Outcome outcome =
        run_with_graph(std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\x50\x30", 13));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("bad"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("truncated"), std::string::npos) << outcome.errors;
}

TEST(BadPoint, OfALaterSeriesIsRefusedBeforeAnyRuns)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "series": [{"name": "old", "sweep": {"/machine/cores": [1, 2, 4]}},
                   {"name": "new", "set": {"/machine/chip": "v6"}}]})"))
                                                         .dump());
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"run", study, "-o", folder.path("out")}, {"check", study}}) {
        const Outcome outcome = run_program(command);
        EXPECT_EQ(outcome.exit_code, 2) << command.front();
        for (const char* part :
             {"s.json: /machine/chip: unknown chip 'v6'", "did you mean v6e", "point 'new"}) {
            EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
        }
        EXPECT_EQ(outcome.errors.find("[1/"), std::string::npos) << "a point ran";
    }
}

TEST(Sweep, OfMorePointsThanAnybodyWaitsForIsRefusedAtOnce)
{
    const TemporaryFolder folder;
    Json study = small_study(folder);
    const Json values = std::vector<int>(1000, 2);
    study["sweep"] = {{"/machine/cores", values}, {"/seed", values}, {"/workload/alx/dim", values}};
    const std::string swept = folder.write("swept.json", study.dump());
    study["series"] = {{{"name", "a"}}, {{"name", "b"}, {"sweep", Json::object()}}};
    study["search"] = {{"over", study.at("sweep")}};
    const std::string several = folder.write("several.json", study.dump());
    for (const std::string command : {"check", "run", "advise"}) {
        const Outcome outcome = run_program({command, swept});
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_NE(outcome.errors.find("/sweep: found 1000000000 points"), std::string::npos)
            << outcome.errors;
        EXPECT_NE(outcome.errors.find("allowed are at most 100000"), std::string::npos);
        EXPECT_NE(run_program({command, several}).errors.find("/series: found 1000000001 points"),
                  std::string::npos);
    }
}

TEST(Nesting, IsBoundedInEveryCommandThatReadsJson)
{
    const TemporaryFolder folder;
    const std::string good = folder.write("s.json", small_study(folder).dump());
    const std::string deep = folder.write("deep.json", std::string(100000, '['));
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"run", deep},
             {"check", deep},
             {"check", folder.write("own.json", R"({"study": "own", "machine": {"chip": "tpu_v3",
                 "cores": 4}, "workload": {"op_graph": "deep.json"}})")},
             {"check", good, "--like", deep},
             {"op", deep, "--chip", "tpu_v3", "--cores", "2"},
             {"run", good, "-o", folder.path("out"), "--given", deep, "--quiet"},
             {"check", good, "--set", "/workload=" + std::string(100000, '[')},
             {"op", std::string(100000, '['), "--chip", "tpu_v3", "--cores", "2"},
             {"op", R"({"work": "infeed", "bytes": 1})", "--chip", deep, "--cores", "2"},
             {"chips", deep},
             {"report", deep},
             {"compare", deep, deep},
             {"explain", deep},
             {"advise", deep},
             {"infer", good, deep},
             {"validate", deep},
             {"calibrate", good, deep},
             {"dataset", "stats", deep},
             {"dataset", "placements", deep},
             {"dataset", "batches", deep}}) {
        const Outcome outcome = run_program(command);
        EXPECT_EQ(outcome.exit_code, 2) << command.front() << ": " << outcome.errors;
        EXPECT_NE(outcome.errors.find("line 1, column 257: is nested deeper than 256"),
                  std::string::npos)
            << command.front() << ": " << outcome.errors;
    }
}

TEST(Pointer, ThatLeadsThousandsOfLevelsDownIsRefused)
{
    const TemporaryFolder folder;
    std::string pointer;
    for (int i = 0; i < 10000; ++i) {
        pointer += "/a";
    }
    const Outcome outcome = run_program(
        {"check", folder.write("s.json", small_study(folder).dump()), "--set", pointer + "=1"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("leads deeper than 64"), std::string::npos) << outcome.errors;
}

TEST(BytesThatAreNoUtf8, AreToldInAMessage)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const std::string broken = folder.write("broken.json", "{\"study\": \"\xff\"}");
    folder.write("names\xff.txt", "0 1\n");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"run", broken, "--quiet"},
             {"check", folder.path("no\xffsuch.json")},
             {"run", study, "--quiet", "-o", folder.path("out\xff")},
             {"run", study, "--quiet", "--set", "/study=\xff"},
             {"op", folder.write("graph.json", "{\"ops\": [{\"work\": \"\xff\"}]}")},
             {"check", folder.write("own.json", R"({"study": "own", "machine": {"chip": "tpu_v3",
                 "cores": 4}, "workload": {"op_graph": "graph.json"}})")},
             {"dataset", "stats", folder.path("names\xff.txt")}}) {
        const Outcome outcome = run_program(command);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
        EXPECT_TRUE(is_utf8(outcome.errors));
        EXPECT_NE(outcome.errors.find("UTF-8"), std::string::npos) << outcome.errors;
        EXPECT_EQ(outcome.errors.find("json.exception"), std::string::npos) << outcome.errors;
    }
    const Outcome data = run_with_graph("0 1 2\n\xff\xfe\n");
    EXPECT_EQ(data.exit_code, 2);
    EXPECT_NE(data.errors.find("bad: line 2"), std::string::npos) << data.errors;
    EXPECT_TRUE(is_utf8(data.errors));
}

TEST(DeviceWithoutEnd, IsRefusedAsInput)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"check", "/dev/zero"},
             {"run", study, "--quiet", "--set", "/workload/dataset/file=/dev/zero"},
             {"run", study, "--quiet", "--set",
              "/workload/alx/initial_tables={\"rows\":\"/dev/zero\"}"},
             {"dataset", "stats", "/dev/zero"}}) {
        const Outcome outcome = run_program(command);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
        EXPECT_NE(outcome.errors.find("/dev/zero: "), std::string::npos) << outcome.errors;
    }
}

TEST(InitialTables, OfTooFewRowsAreRefusedBeforeAnythingRuns)
{
    const TemporaryFolder folder;
    const Json small = small_study(folder);
    const auto dim = small.at("workload").at("alx").at("dim").get<std::int64_t>();
    NpyMatrix few;
    few.rows = 2;
    few.columns = dim;
    few.values.assign(static_cast<std::size_t>(2 * dim), 0.5);
    write_npy(folder.path("few.npy"), few, NpyNumber::f4);
    const std::string study = folder.write(
        "s.json",
        small_study(folder, {{"workload", {{"alx", {{"initial_tables", {{"rows", "few.npy"}}}}}}}})
            .dump());
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"check", study}, {"run", study, "-o", folder.path("out"), "--quiet"}}) {
        const Outcome outcome = run_program(command);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
        EXPECT_NE(outcome.errors.find("/workload/alx/initial_tables/rows: found 2 rows"),
                  std::string::npos)
            << outcome.errors;
    }
}

TEST(Export, ThatWouldWriteNothingIsToldSo)
{
    const TemporaryFolder folder;
    const std::string timed = folder.write(
        "timed.json", small_study(folder, {{"numerics", false}, {"fidelity", "analytic"}}).dump());
    const Outcome refused = run_program(
        {"run", timed, "-o", folder.path("out"), "--export", folder.path("ex"), "--quiet"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find("--export: "), std::string::npos) << refused.errors;
    const std::string exporting = folder.write(
        "exporting.json",
        small_study(folder, {{"export", {"tables"}}, {"sweep", {{"/machine/cores", {1}}}}}).dump());
    const Outcome noted = run_program({"run", exporting, "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(noted.exit_code, 0) << noted.errors;
    EXPECT_NE(noted.errors.find("without --export FOLDER"), std::string::npos) << noted.errors;
}

TEST(Permute, WithoutMessagesIsSaidToGoToTheNextDevice)
{
    const Outcome outcome = run_program(
        {"op", R"({"work": "collective", "kind": "permute", "bytes": 100})", "--cores", "4"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("timed as shift"), std::string::npos) << outcome.output;
}

TEST(Numbers, OfAnOpGraphAreSaidNotToBeThere)
{
    const TemporaryFolder folder;
    Json study{{"study", "own"},
               {"fidelity", "analytic"},
               {"machine", {{"chip", "tpu_v3"}, {"cores", 1}}},
               {"workload", {{"op_graph", {{"ops", {{{"work", "infeed"}, {"bytes", 100}}}}}}}}};
    const std::string silent = folder.write("silent.json", study.dump());
    study["numerics"] = true;
    const std::string asking = folder.write("asking.json", study.dump());
    const std::string note = "note: \"numerics\": true changes nothing: an op_graph";
    EXPECT_NE(run_program({"check", asking}).output.find(note), std::string::npos);
    EXPECT_EQ(run_program({"check", silent}).output.find("numerics"), std::string::npos);
    const Outcome run = run_program({"run", asking, "-o", folder.path("out")});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_NE(run.errors.find(note), std::string::npos) << run.errors;
    const Outcome exported = run_program(
        {"run", silent, "-o", folder.path("out"), "--export", folder.path("ex"), "--quiet"});
    EXPECT_EQ(exported.exit_code, 2);
    EXPECT_NE(exported.errors.find("no point of the study has numbers"), std::string::npos)
        << exported.errors;
}

TEST(Epochs, OfYearsAreToldAsYearsBeforeTheyRun)
{
    const TemporaryFolder folder;
    const std::string study = folder.write(
        "s.json",
        small_study(folder, {{"workload", {{"alx", {{"epochs", 2000000000}, {"dim", 512}}}}}})
            .dump());
    const Outcome checked = run_program({"check", study});
    EXPECT_EQ(checked.exit_code, 0) << checked.errors;
    EXPECT_NE(checked.output.find(" years of one core"), std::string::npos) << checked.output;
}

TEST(NewlineInAName, IsPrintedOrRefusedByValidate)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"validate", folder.write("rows.json", R"({"topic": "ops", "rows": [{
            "name": "two\nlines", "kind": "predicted", "source": "nobody", "reference": 1,
            "unit": "s", "check": "at_most",
            "simulate": {"op": {"work": "infeed", "bytes": 100}, "figure": "seconds",
                         "machine": {"chip": "tpu_v3", "cores": 2}}}]})")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("two\nlines"), std::string::npos) << outcome.output;
}

TEST(Study, TakesWholeNumbersAsPeopleWriteThem)
{
    const TemporaryFolder folder;
    folder.write("graph.json", R"({"ops": [{"work": "infeed", "bytes": 1e6}]})");
    const std::string own = folder.write("own.json", R"({"study": "own",
        "machine": {"chip": "tpu_v3", "cores": 4.0},
        "workload": {"op_graph": "graph.json"}})");
    EXPECT_EQ(run_program({"check", own}).exit_code, 0);
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const Outcome set = run_program({"check", study, "--set", "/workload/alx/dim=1.6e1"});
    EXPECT_EQ(set.exit_code, 0) << set.errors;
    const auto table = [](const Outcome& check) { // what the host takes is measured
        return check.output.substr(0, check.output.find(" points; about"));
    };
    EXPECT_EQ(table(set), table(run_program({"check", study, "--set", "/workload/alx/dim=16"})));
    const Outcome swept =
        run_program({"check", study, "--set", R"(/sweep={"/workload/alx/dim": [8e0, 1.6e1]})"});
    EXPECT_EQ(swept.exit_code, 0) << swept.errors;
}

TEST(Op, TakesNumbersAsStudiesDo)
{
    const Outcome outcome = run_program(
        {"op", R"({"work": "infeed", "bytes": 1e9})", "--chip", "tpu_v3", "--cores", "2"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

TEST(Jobs, AreRefusedWithARangeThatPeopleRead)
{
    for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
             {"--jobs", "0"}, {"--jobs", "1e400"}, {"--threads", "1000000"}}) {
        const Outcome outcome = run_program({"run", "s.json", option[0], option[1]});
        EXPECT_EQ(outcome.exit_code, 2);
        const std::string head = option[0] + ": Value " + option[1] + " not in range ";
        EXPECT_THAT(outcome.errors,
                    ::testing::AnyOf(::testing::HasSubstr(head + "1 to 1024"), // CLI11 of Debian 12
                                     ::testing::HasSubstr(head + "[1 - 1024]")));
    }
}

TEST(FullOutput, IsNoSuccess)
{
    for (const char* command : {"chips", "--help", "--version", "run --help"}) {
        const std::string line = program_path() + " " + command + " > /dev/full 2> /dev/null";
        const int status = std::system(line.c_str()); // NOLINT
        EXPECT_EQ(WEXITSTATUS(status), 1) << command;
    }
}

TEST(AFileThatMayNotGrow, IsAnErrorWithItsName)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const std::string line = "ulimit -f 1; " + program_path() + " run " + study + " -o " +
                             folder.path("out") + " --quiet > /dev/null 2> " +
                             folder.path("errors");
    const int status = std::system(line.c_str()); // NOLINT
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const std::string errors = read_file(folder.path("errors"));
    EXPECT_NE(errors.find("cannot write " + folder.path("out")), std::string::npos) << errors;
    EXPECT_NE(errors.find("File too large"), std::string::npos) << errors;
}

TEST(BadUsage, IsTwoWithAHint)
{
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {},
             {"fly"},
             {"run"},
             {"run", "s.json", "--jobs", "0"},
             {"op", "{}", "--chip", "tpu_v3"},
             {"op", R"({"work":"vector","elements":8,"m":3})"},
             {"op", R"({"work":"matmul","m":10000000,"k":10000000,"n":10000000})"},
             {"op", R"({"work":"infeed","bytes":9000000000000000000})"},
             {"op", R"({"work":"collective","kind":"permute","messages":[[1,0,10]],"bytes":10})"},
             {"op", R"({"ops":[{"work":"collective","kind":"permute","messages":[[0,5,10]]}]})"},
             {"chips", "tpu_v9"},
             {"run", "s.json", "--set", "cores=3"}}) {
        const Outcome outcome = run_program(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
        EXPECT_EQ(outcome.errors.rfind("alxsim: ", 0), 0U) << outcome.errors;
    }
}

TEST(BadStudyFile, MalformedJsonIsToldLineAndColumn)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"check", folder.write("s.json", "{\n \"study\": \"x\",\n machine\n}")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("s.json: line 3, column 2"), std::string::npos) << outcome.errors;
}

TEST(BadStudyFile, ANumberThatNoMachineHoldsIsToldWithoutWordsOfALibrary)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"check", folder.write("s.json", "{\n \"study\": 1e400\n}")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("s.json: "), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("1e400"), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.errors.find("json.exception"), std::string::npos) << outcome.errors;
}

/// What people type who know other programs.
TEST(BadCommandLine, IsToldWhatItMeans)
{
    using Case = std::pair<std::vector<std::string>, std::string>;
    for (const auto& [arguments, hint] : std::vector<Case>{
             {{"optimize", "s.json"}, "no command is named 'optimize'; did you mean 'advise'?"},
             {{"version"}, "did you mean '--version'?"},
             {{"dataset", "stat", "a.csv"},
              "no command of 'dataset' is named 'stat'; did you mean "
              "'stats'? (allowed: "},
             {{"advise", "s.json", "--optimize", "cost"}, "did you mean '--optimise'?"},
             {{"run", "s.json", "--cores", "64"}, "this is the study's: --set /machine/cores=..."},
             {{"run", "s.json", "--seed=3"}, "this is the study's: --set /seed=..."},
             {{"check", "s.json", "--gather", "all_to_all"},
              "this is the study's: --set /workload/alx/gather=..."},
             {{"run", "s.json", "--fidelty", "analytic"}, "did you mean '--fidelity'?"}}) {
        const Outcome outcome = run_program(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
        EXPECT_NE(outcome.errors.find(hint), std::string::npos)
            << "missing '" << hint << "' in " << outcome.errors;
    }
}

} // namespace
} // namespace alxsim::testing
