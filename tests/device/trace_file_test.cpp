// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/trace_file.h"

#include "experiments/points/point.h"
#include "experiments/points/study/job.h"
#include "report/resources.h"
#include "tests/device/tracing.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

/// The files that `run --trace` writes, against the format and against the report.
namespace alxsim::experiments {
namespace {

using ::testing::HasSubstr;

constexpr const char* all_steps = "1:1000000000";

struct TracedStudy {
    std::string name;
    std::string text;

    friend std::ostream& operator<<(std::ostream& out, const TracedStudy& study)
    {
        return out << study.name;
    }
};

std::string released(const std::string& cores, const std::string& choices)
{
    return R"({"study": "s", "fidelity": "detailed", "band": false, "numerics": false,
        "machine": {"chip": "tpu_v3", "cores": )" +
           cores + R"(}, "workload": {
        "dataset": {"shape": {"rows": 3000, "columns": 2500, "links": 40000}},
        "alx": {"dim": 16, "batch": {"lines": 64, "line_length": 8, "rows": 32})" +
           choices + "}}}";
}

std::vector<TracedStudy> studies()
{
    return {
        {"released_gather", released("8", "")},
        {"all_to_all", released("8", R"(, "gather": "all_to_all", "scatter": "all_to_all")")},
        {"prefetch", released("8", R"(, "gather": "all_reduce", "overlap": {"kind": "prefetch"})")},
        {"slow_core", released("8", R"(, "gather": "all_reduce")")},
        {"op_graph_with_repeats",
         R"({"study": "s", "fidelity": "detailed", "band": false, "numerics": false,
            "machine": {"chip": "tpu_v4", "cores": 16}, "workload": {"op_graph": {"ops": [
            {"work": "repeat", "times": 90, "phase": "loop", "body": {"ops": [
                {"work": "matmul", "m": 256, "k": 256, "n": 256, "phase": "forward"},
                {"work": "hbm_stream", "bytes_read": 65536, "phase": "load"},
                {"work": "collective", "kind": "all_reduce", "bytes": 65536, "after": [0],
                 "phase": "gradients"}]}},
            {"work": "vector", "elements": 65536, "after": [0], "phase": "update"}]}}})"},
        {"roles", R"({"study": "s", "fidelity": "detailed", "band": false, "numerics": false,
            "machine": {"chip": "tpu_v5e", "cores": 8}, "workload": {"op_graph":
            {"roles": [{"devices": ["0-3"], "graph": {"ops": [{"work": "repeat", "times": 8, "body": {"ops": [
                    {"work": "matmul", "m": 1024, "k": 1024, "n": 1024},
                    {"work": "collective", "kind": "permute", "name": "activations", "after": [0],
                     "messages": [[0, 4, 65536], [1, 5, 65536], [2, 6, 65536], [3, 7, 65536]]}]}}]}},
               {"devices": ["4-7"], "graph": {"ops": [{"work": "repeat", "times": 8, "body": {"ops": [
                    {"work": "collective", "kind": "permute", "name": "activations",
                     "messages": [[0, 4, 65536], [1, 5, 65536], [2, 6, 65536], [3, 7, 65536]]},
                    {"work": "matmul", "m": 1024, "k": 1024, "n": 1024, "after": [0]}]}}]}}]}}})"}};
}

Json study_of(const TracedStudy& traced)
{
    Json study = Json::parse(traced.text);
    if (traced.name == "slow_core") {
        study["machine"]["faults"] = Json::parse(R"([{"core": 3, "speed": 0.5}])");
    }
    return study;
}

struct TracedPoint {
    PointResult result;
    Json trace;
    std::vector<std::string> told;
};

TracedPoint run(const Json& study, const std::string& steps, bool traced = true)
{
    const TemporaryFolder folder;
    TracedPoint point;
    PointOptions options;
    options.tell = [&](const std::string& words) { point.told.push_back(words); };
    if (traced) {
        options.trace.file = folder.path("trace.json");
        options.trace.steps = steps;
        options.trace.title = "a point";
    }
    point.result = run_point(read_point_study(study, "study"), options);
    if (traced && point.told.empty()) {
        point.trace = load_json(options.trace.file);
    }
    return point;
}

std::vector<Json> events_of(const Json& trace, const std::string& kind)
{
    std::vector<Json> events;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") == kind) {
            events.push_back(event);
        }
    }
    return events;
}

std::int64_t picoseconds(const Json& microseconds)
{
    return std::llround(microseconds.get<double>() * 1e6);
}

std::int64_t argument(const Json& span, const char* name)
{
    return span.at("args").value(name, std::int64_t{0});
}

class TraceOf : public ::testing::TestWithParam<TracedStudy> {
protected:
    const Json study_ = study_of(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Studies, TraceOf, ::testing::ValuesIn(studies()),
                         [](const auto& test) { return test.param.name; });

TEST_P(TraceOf, FollowsItsSchema)
{
    const Json trace = run(study_, all_steps).trace;
    EXPECT_NO_THROW(
        validate_json(trace, report::resources().get("schema/trace.schema.json"), "trace"));
    EXPECT_FALSE(events_of(trace, "X").empty());
}

TEST_P(TraceOf, ChangesNothingInTheReport)
{
    TracedPoint with = run(study_, all_steps);
    const TracedPoint without = run(study_, all_steps, false);
    ASSERT_TRUE(with.result.point.result->critical_path);
    with.result.point.result->critical_path.reset(); // which is made of the trace
    EXPECT_EQ(json_of(with.result.point).dump(), json_of(without.result.point).dump());
}

TEST_P(TraceOf, HasExactTimes)
{
    const Json trace = run(study_, all_steps).trace;
    for (const Json& span : events_of(trace, "X")) {
        EXPECT_EQ(picoseconds(span.at("ts")), argument(span, "begin_ps"));
        EXPECT_EQ(picoseconds(span.at("dur")), argument(span, "duration_ps"));
    }
}

TEST_P(TraceOf, HasSpansThatNestOrFollowEachOther)
{
    const Json trace = run(study_, all_steps).trace;
    std::map<std::pair<int, int>, std::vector<std::int64_t>> open; // ends, the innermost last
    std::map<std::pair<int, int>, std::int64_t> last;
    for (const Json& span : events_of(trace, "X")) {
        const std::pair track{span.at("pid").get<int>(), span.at("tid").get<int>()};
        const std::int64_t begin = argument(span, "begin_ps");
        const std::int64_t end = begin + argument(span, "duration_ps");
        std::vector<std::int64_t>& ends = open[track];
        while (!ends.empty() && ends.back() <= begin) {
            ends.pop_back();
        }
        EXPECT_GE(begin, last[track]) << "in the order of time";
        EXPECT_TRUE(ends.empty() || end <= ends.back()) << span.dump();
        ends.push_back(end);
        last[track] = begin;
    }
}

TEST_P(TraceOf, HasACriticalPathThatIsTheReportsTime)
{
    const TracedPoint point = run(study_, all_steps);
    const Json& about = point.trace.at("otherData");
    const report::Breakdown& epoch = point.result.point.result->epoch;
    const auto in_picoseconds = [](double seconds) { return std::llround(seconds * 1e12); };
    EXPECT_EQ(about.at("begin_ps"), 0);
    EXPECT_EQ(about.at("end_ps"), in_picoseconds(epoch.seconds));
    std::int64_t drawn = 0;
    for (const Json& span : events_of(point.trace, "X")) {
        drawn += span.at("pid") == 1 ? argument(span, "duration_ps") : 0;
    }
    EXPECT_EQ(drawn, in_picoseconds(epoch.seconds));
    const Json& path = about.at("critical_path_ps");
    EXPECT_EQ(path.at("phases").size(), epoch.phases.size());
    for (const auto& [phase, seconds] : epoch.phases) {
        EXPECT_EQ(path.at("phases").value(phase, std::int64_t{-1}), in_picoseconds(seconds))
            << phase;
    }
    // For devices with roles, a report tells what they do and wait for in the mean.
    const bool has_roles = epoch.share(Share::waiting) > 0;
    std::int64_t all = 0;
    for (const Share share : all_shares) {
        const auto of_path = path.at("shares").at(name_of(share)).get<std::int64_t>();
        all += of_path;
        if (!has_roles) {
            EXPECT_EQ(of_path, in_picoseconds(epoch.share(share)));
        } else if (share != Share::waiting) {
            EXPECT_GE(of_path, in_picoseconds(epoch.share(share)));
        }
    }
    EXPECT_EQ(all, in_picoseconds(epoch.seconds));
}

TEST_P(TraceOf, AddsUpToTheCountersOfTheReport)
{
    const TracedPoint point = run(study_, all_steps);
    std::map<std::pair<int, int>, std::string> names;
    for (const Json& named : events_of(point.trace, "M")) {
        if (named.at("name") == "thread_name") {
            names[{named.at("pid").get<int>(), named.at("tid").get<int>()}] =
                named.at("args").at("name").get<std::string>();
        }
    }
    std::map<std::string, std::int64_t> sums;
    for (const Json& span : events_of(point.trace, "X")) {
        const std::string& name = names.at({span.at("pid").get<int>(), span.at("tid").get<int>()});
        if (name.find("loop control") != std::string::npos) {
            continue; // what was left out is on the tracks of the units, too
        }
        const std::string counter = name.find("MXU") != std::string::npos   ? "mxu_busy"
                                    : name.find("VPU") != std::string::npos ? "vpu_busy"
                                                                            : "rows_busy";
        sums[counter] += argument(span, "busy_ps");
        sums["collective_wait"] += argument(span, "waited_ps");
        sums["collective_transfer"] += argument(span, "communicating_ps");
        sums["hbm_bytes"] += name.find("HBM") != std::string::npos ? argument(span, "bytes") : 0;
    }
    const int devices = static_cast<int>(job_of(read_point_study(study_, "study")).machine.devices);
    int compared = 0;
    for (const report::DeviceCounter& counter : point.result.point.result->device_counters) {
        if (counter.per == "device" && sums.count(counter.name) > 0) {
            const double scale = counter.unit == "seconds" ? 1e12 : 1;
            EXPECT_EQ(sums.at(counter.name), std::llround(counter.mean * devices * scale))
                << counter.name;
            ++compared;
        }
    }
    EXPECT_GE(compared, 2);
}

TEST_P(TraceOf, HasArrowsFromOpenSpansToOpenSpans)
{
    const Json trace = run(study_, "first").trace;
    const std::vector<Json> spans = events_of(trace, "X");
    const auto is_open = [&](const Json& arrow) {
        return std::any_of(spans.begin(), spans.end(), [&](const Json& span) {
            const std::int64_t at = picoseconds(arrow.at("ts"));
            const std::int64_t begin = argument(span, "begin_ps");
            return span.at("pid") == arrow.at("pid") && span.at("tid") == arrow.at("tid") &&
                   begin <= at && at < begin + argument(span, "duration_ps");
        });
    };
    std::set<std::int64_t> begun;
    for (const Json& arrow : events_of(trace, "s")) {
        EXPECT_TRUE(is_open(arrow)) << arrow.dump();
        EXPECT_TRUE(begun.insert(arrow.at("id").get<std::int64_t>()).second);
    }
    EXPECT_GT(begun.size(), 1u);
    for (const Json& arrow : events_of(trace, "f")) {
        EXPECT_TRUE(is_open(arrow)) << arrow.dump();
        EXPECT_EQ(begun.erase(arrow.at("id").get<std::int64_t>()), 1u);
    }
    EXPECT_TRUE(begun.empty());
}

TEST(TraceFile, NamesWhatWasLeftOutBecauseItRepeatsItself)
{
    const Json trace = run(study_of(studies().at(4)), "first").trace;
    bool repeated = false;
    for (const Json& span : events_of(trace, "X")) {
        const bool named =
            span.at("name").get<std::string>().find(" repeated ") != std::string::npos;
        repeated = repeated || named;
        EXPECT_TRUE(!named || span.at("cat").get<std::string>().find("repeated") == 0 ||
                    span.at("pid") == 1)
            << span.dump();
    }
    EXPECT_TRUE(repeated);
}

/// Returns the mean of a counter, over the time that it covers, and over all processes that have
/// it.
double mean_counter(const Json& trace, const std::string& name)
{
    std::map<std::int64_t, std::map<double, double>> values; // [process][time]
    for (const Json& counter : events_of(trace, "C")) {
        if (counter.at("name") == name) {
            values[counter.at("pid").get<std::int64_t>()][counter.at("ts").get<double>()] =
                counter.at("args").front().get<double>();
        }
    }
    double sum = 0;
    double time = 0;
    for (const auto& [process, series] : values) {
        for (auto at = series.begin(); std::next(at) != series.end(); ++at) {
            sum += at->second * (std::next(at)->first - at->first);
            time += std::next(at)->first - at->first;
        }
    }
    return sum / time;
}

TEST(TraceFile, ShowsHowBusyMemoryAndLinksAre)
{
    const Json trace = run(study_of(studies().at(0)), "first").trace;
    std::map<std::string, double> most;
    for (const Json& counter : events_of(trace, "C")) {
        for (const auto& [unit, value] : counter.at("args").items()) {
            double& highest = most[counter.at("name").get<std::string>()];
            highest = std::max(highest, value.get<double>());
        }
    }
    EXPECT_GT(most["HBM bandwidth"], 1);
    // Transfers are drawn as if even, so that a moment may exceed the chip's bandwidth; the mean of
    // all chips may not.
    EXPECT_LT(mean_counter(trace, "HBM bandwidth"), 900) << "GB/s of a chip";
    EXPECT_GT(mean_counter(trace, "HBM bandwidth"), 0);
    EXPECT_GT(most["links x+"], 1);
    EXPECT_LE(most["links x+"], 100.1) << "percent";
}

TEST(TraceFile, OfASampledPointIsOfTheStepsThatWereSimulated)
{
    Json study = study_of(studies().at(0));
    study["fidelity"] = "sampled";
    const TracedPoint first = run(study, "first");
    EXPECT_EQ(first.trace.at("otherData").at("first_step"), 1);
    const TracedPoint last = run(study, "last");
    EXPECT_GT(last.trace.at("otherData").at("first_step"), 1);
    EXPECT_EQ(last.trace.at("otherData").at("first_step"),
              last.trace.at("otherData").at("last_step"));
}

TEST(TraceFile, SaysWhereThereIsNoSuchStep)
{
    const TracedPoint none = run(study_of(studies().at(0)), "1000000");
    ASSERT_EQ(none.told.size(), 1u);
    EXPECT_THAT(none.told.front(), HasSubstr("--trace-steps 1000000"));
}

TEST(TraceFile, LeavesOutWhatIsMoreThanTheLimitAndSaysSo)
{
    const sim::TracedJob job{"v3", sim::machine_of("tpu_v3", 256), sim::step_of_all_kinds()};
    const sim::Traced traced = sim::trace(job, {});
    TraceRequest request;
    request.limit_mib = 1000;
    const TraceText whole = trace_text(traced.timeline, job.machine, request);
    EXPECT_TRUE(whole.left_out.empty());
    ASSERT_GT(whole.json.size(), std::size_t{2} << 20);
    request.limit_mib = 1;
    const TraceText cut = trace_text(traced.timeline, job.machine, request);
    EXPECT_LT(cut.json.size(), std::size_t{1} << 20);
    ASSERT_FALSE(cut.left_out.empty());
    EXPECT_THAT(cut.left_out.back(), HasSubstr("of 128 chips"));
    EXPECT_THAT(cut.left_out.back(), HasSubstr("--trace-limit"));
    const Json trace = Json::parse(cut.json);
    EXPECT_NO_THROW(
        validate_json(trace, report::resources().get("schema/trace.schema.json"), "trace"));
    EXPECT_EQ(trace.at("otherData").at("left_out").size(), cut.left_out.size());
}

} // namespace
} // namespace alxsim::experiments
