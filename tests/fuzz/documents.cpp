// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/documents.h"

#include "base/json_fields.h"
#include "experiments/answers/calibrate/points.h"
#include "experiments/answers/compare/profile_comparison.h"
#include "experiments/answers/infer/statements.h"
#include "experiments/answers/validate/validate.h"
#include "experiments/points/point.h"
#include "experiments/points/study/study.h"
#include "experiments/points/timing/timing.h"
#include "model/graph/check.h"
#include "model/graph/memory.h"
#include "program/commands/trace_options.h"
#include "program/registration/workloads.h"
#include "program/requests/run_study.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"
#include "report/schema/report_schema.h"
#include "tests/fuzz/replay.h"
#include "topologies/preset.h"
#include "workloads/import/chakra/chakra_file.h"
#include "workloads/import/hlo/sidecar.h"
#include "workloads/import/kineto/kineto_file.h"
#include "workloads/import/trace/trace_graph.h"
#include "workloads/registry.h"

#include <filesystem>

namespace alxsim::fuzz {
namespace {

using namespace experiments;

/// What other documents are about.
const Study& example()
{
    static const Study study = study_of(Json::parse(R"({
        "study": "example", "numerics": false, "fidelity": "analytic", "band": false,
        "machine": {"chip": "tpu_v3", "cores": 4},
        "workload": {"dataset": {"shape": {"rows": 1000, "columns": 1000, "links": 10000}},
                     "alx": {"dim": 16}}})"),
                                        "example.json");
    return study;
}

std::size_t points_in(const Sweep& sweep)
{
    std::size_t points = 1;
    for (const SweptValues& axis : sweep.axes) {
        points *= axis.front().second.size();
    }
    return points;
}

void read_study(const TemporaryFolder& folder, std::string_view bytes)
{
    const Study study = study_of(parse_json(bytes, "study.json"), folder.path("study.json"));
    if (!has_few_points(study)) {
        return;
    }
    for (const PointSpec& point : expand(study)) {
        for_point(point, [&point] { return preview_point(point.study).host_time; });
    }
}

void read_op_graph(const TemporaryFolder& folder, std::string_view bytes)
{
    static const topologies::Machine machine =
        machine_of(single_point(example()).machine, example().file);
    Json document = single_point(example()).document;
    document["workload"] = {{"op_graph", folder.write("graph.json", bytes)}};
    const auto job =
        workloads::registry().kind_of(document, "study.json").make(document, "study.json", machine);
    model::memory_fit(job->program(), machine);
    model::AnalyticModel model(machine);
    estimate_groups(job->program(), model);
}

void read_report(const TemporaryFolder&, std::string_view bytes)
{
    const report::Report report =
        report::report_of(parse_json(bytes, "report.json"), "report.json");
    report::html_page(report);
    report::points_csv(report);
    report::validate_report(report::to_json(report), "report.json");
}

/// A second's worth of nothing: three steps on two cores.
const PointStudy& traced_study()
{
    static const PointStudy study = point_study(Json::parse(R"({
        "study": "traced", "numerics": false, "fidelity": "detailed", "band": false,
        "machine": {"chip": "tpu_v3", "cores": 2},
        "workload": {"op_graph": {"steps": [{"times": 3, "graph": {"ops": [
            {"work": "vector", "elements": 1000, "name": "add"},
            {"work": "collective", "kind": "all_reduce", "bytes": 4096, "after": [0]}]}}]}}})"),
                                                "traced.json");
    return study;
}

/// {"options": ["--trace-steps", "3:8"], "title": "..."}, as on a command line.
struct TraceLine {
    std::vector<std::string> options;
    std::string title;
};

template <class Fields>
void list_fields(Fields& fields, TraceLine& line)
{
    fields("options", line.options);
    fields("title", line.title);
}

/// The point is traced as they say.
void read_trace_options(const TemporaryFolder& folder, std::string_view bytes)
{
    const auto [options, title] = value_of_json<TraceLine>(parse_json(bytes, "trace.json"));
    PointOptions traced;
    CLI::App command;
    program::add_trace_options(command, traced.trace);
    try {
        std::vector<std::string> backwards(options.rbegin(), options.rend()); // as CLI11 has it
        command.parse(backwards);
    } catch (const CLI::ParseError& error) {
        throw InputError("trace.json", "/options", error.what());
    }
    program::check_trace(traced.trace, {{"traced", {}, traced_study()}}, [](const std::string&) {});
    traced.trace.title = title;
    traced.trace.file = trace_file_of(folder.path("."), 0, title);
    run_point(traced_study(), traced);
    std::filesystem::remove(traced.trace.file);
}

/// On a slice of two chips, of which each does what the trace says.
void lower_trace(const traces::Trace& trace)
{
    static const topologies::Machine machine = machine_of(single_point(study_of(Json::parse(R"({
            "study": "two", "numerics": false, "machine": {"chip": "tpu_v5e", "cores": 2},
            "workload": {"op_graph": {"ops": [{"work": "fixed", "seconds": 1}]}}})"),
                                                                                "two.json"))
                                                              .machine,
                                                          "two.json");
    const traces::TraceGraph lowered = traces::graph_of({trace}, machine);
    if (lowered.mapped + lowered.dropped != lowered.nodes) {
        throw Finding("a node has no fate, or two");
    }
    model::check(*lowered.graph, machine);
}

void read_preset(const TemporaryFolder&, std::string_view bytes)
{
    topologies::Preset::from_json(parse_json(bytes, "chip.json"), "chip.json");
}

} // namespace

void read_chakra_trace(std::string_view bytes)
{
    lower_trace(traces::read_chakra(bytes, "step.et"));
}

bool has_few_points(const Study& study)
{
    constexpr std::size_t most = 20;
    std::size_t points = points_in(study.sweep);
    for (const SeriesRequest& series : study.series) {
        points += points_in(series.sweep.value_or(Sweep()));
    }
    return points <= most;
}

const std::map<std::string, Reader>& document_readers()
{
    program::add_workloads();
    static const std::map<std::string, Reader> all{
        {"study", read_study},
        {"op_graph", read_op_graph},
        {"preset", read_preset},
        {"report", read_report},
        {"trace_options", read_trace_options},
        {"chakra_json",
         [](const TemporaryFolder&, std::string_view bytes) { read_chakra_trace(bytes); }},
        {"kineto",
         [](const TemporaryFolder&, std::string_view bytes) {
             lower_trace(traces::read_kineto(bytes, "step.json"));
         }},
        {"profile",
         [](const TemporaryFolder& /*folder*/, std::string_view bytes) {
             const Profile profile = profile_of(std::string(bytes), "step.trace.json");
             document_of(compare_profiles(profile, profile));
         }},
        {"hlo_sidecar",
         [](const TemporaryFolder&, std::string_view bytes) {
             hlo::sidecar_of(parse_json(bytes, "step.json"), "step.json");
         }},
        {"measured",
         [](const TemporaryFolder& folder, std::string_view bytes) {
             measured_points(example(), folder.write("measured.json", bytes));
         }},
        {"statements",
         [](const TemporaryFolder& folder, std::string_view bytes) {
             const std::string path = folder.write("statements.json", bytes);
             const PointStudy study = single_point(example());
             read_statements(path, study);
         }},
        {"figures", [](const TemporaryFolder& folder, std::string_view bytes) {
             load_validation({folder.write("figures.json", bytes)});
         }}};
    return all;
}

} // namespace alxsim::fuzz
