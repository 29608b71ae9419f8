// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/documents.h"

#include "experiments/calibrate/points.h"
#include "experiments/infer/statements.h"
#include "experiments/point.h"
#include "experiments/registration/workloads.h"
#include "experiments/study.h"
#include "experiments/timing.h"
#include "experiments/validate/validate.h"
#include "model/graph/memory.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"
#include "topologies/preset.h"

namespace alxsim::fuzz {
namespace {

using namespace experiments;

constexpr std::size_t most_points = 20; ///< of a study, so that an input takes no seconds

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
    std::size_t points = points_in(study.sweep);
    for (const SeriesRequest& series : study.series) {
        points += points_in(series.sweep.value_or(Sweep()));
    }
    if (points > most_points) {
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
        workload_kinds().kind_of(document, "study.json").make(document, "study.json", machine);
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

void read_preset(const TemporaryFolder&, std::string_view bytes)
{
    topologies::Preset::from_json(parse_json(bytes, "chip.json"), "chip.json");
}

} // namespace

const std::map<std::string, Reader>& document_readers()
{
    static const std::map<std::string, Reader> all{
        {"study", read_study},
        {"op_graph", read_op_graph},
        {"preset", read_preset},
        {"report", read_report},
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
