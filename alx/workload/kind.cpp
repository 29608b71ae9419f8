// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/kind.h"

#include "alx/placements/placement.h"
#include "alx/solvers/solver.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "alx/training/slowest_iterations.h"
#include "alx/workload/choices.h"
#include "alx/workload/export.h"
#include "alx/workload/host_memory.h"
#include "alx/workload/numbered_works.h"
#include "alx/workload/run.h"
#include "alx/workload/unknowns.h"
#include "alx/workload/workload.h"

namespace alxsim::alx {
namespace {

/// Tables that are zeros, or no numbers, rank columns by their ids.
bool is_spoilt(const Json& results)
{
    return results.contains(collapsed_field) || results.contains(not_finite_field);
}

std::unique_ptr<workloads::Workload> make_workload(const Json& study, const std::string& file,
                                                   const topologies::Machine& machine)
{
    return std::make_unique<AlxWorkload>(job_of(point_request(study), file, machine),
                                         static_cast<int>(machine.slice.axes().size()));
}

std::unique_ptr<workloads::Workload> sketch_workload(const Json& study, const std::string& file,
                                                     const topologies::Machine& machine)
{
    return std::make_unique<AlxWorkload>(
        job_of(point_request(study), file, machine, JobDetail::sketch),
        static_cast<int>(machine.slice.axes().size()));
}

std::string help()
{
    const auto names = [](const std::vector<std::string>& all) { return join(all, "|"); };
    return "            dataset {file | generate | webgraph\n"
           "                     " +
           names(webgraph_names()) +
           "}, split,\n"
           "            alx {dim, epochs, reg, alpha, solver " +
           names(solvers().names()) +
           ", table_dtype bf16|f32|f64,\n"
           "                 semantics alx|clean (the released code, or what one would write "
           "today), switches {...},\n"
           "                 gather " +
           names(gather_strategies().names()) +
           ",\n"
           "                 scatter " +
           names(scatter_strategies().names()) +
           ",\n"
           "                 placement " +
           names(placements().names()) +
           ",\n"
           "                 batch {...}|\"auto\"|\"tuned\", column_batch}, evaluation\n";
}

const char* const example =
    "\nA small study (numbers on real links, every step through SystemC):\n"
    "  { \"study\": \"debian on v3\", \"numerics\": true, \"fidelity\": \"detailed\",\n"
    "    \"machine\":  { \"chip\": \"tpu_v3\", \"cores\": 8 },\n"
    "    \"workload\": { \"dataset\": {\"file\": \"adj.txt.gz\"},\n"
    "                  \"split\": {\"test_rows\": 0.1, \"held_out_links\": 0.25, "
    "\"min_links\": 5},\n"
    "                  \"alx\": {\"dim\": 32, \"epochs\": 4,\n"
    "                          \"batch\": {\"lines\": 128, \"line_length\": 8, \"rows\": 64}} "
    "},\n"
    "    \"sweep\":    { \"/machine/cores\": [1, 2, 4, 8] } }\n";

/// What iterations depend on most. They depend on batches and cores, too, but little: the slowest
/// of more systems is somewhat slower.
void check_alike(const Json& study, const Json& finished)
{
    for (const char* place : {"/workload/dataset", "/workload/alx/solver", "/workload/alx/dim",
                              "/workload/alx/reg", "/workload/alx/alpha"}) {
        const Json::json_pointer pointer(place);
        if (study.at(pointer) != finished.at(pointer)) {
            throw InputError("", place,
                             "found " + finished.at(pointer).dump() +
                                 ", which takes other CG iterations than the study's; allowed: " +
                                 study.at(pointer).dump());
        }
    }
}

std::optional<workloads::Counted> counted_iterations(const Json& study, const Json& finished,
                                                     const Json& counters)
{
    Json iterations = Json::object();
    for (const char* half : {"rows", "columns"}) {
        const Json::json_pointer place("/" + std::string(half) + "/" + slowest_iterations_field);
        if (!counters.contains(place)) {
            return std::nullopt;
        }
        iterations[half] = whole_iterations(counters.at(place).get<double>());
    }
    check_alike(study, finished);
    return workloads::Counted{{{"/workload/alx/cg/assumed_iterations", iterations}},
                              iterations.at("rows").dump() + " CG iterations in the row half and " +
                                  iterations.at("columns").dump() + " in the column half"};
}

std::vector<std::string> notes_of(const Json& point)
{
    const int top_k = point_request(point).workload.evaluation.top_k;
    std::vector<std::string> notes;
    for (const RankingMetric& metric : usual_metrics()) {
        if (metric.k > static_cast<std::size_t>(top_k)) {
            notes.push_back(metric.name() + " counts what stands among the " +
                            std::to_string(top_k) +
                            " recommendations of /workload/evaluation/top_k alone: it is no "
                            "recall of " +
                            std::to_string(metric.k));
        }
    }
    return notes;
}

/// "to debian: gcc, make": what was recommended to each row that the study asks about.
std::vector<std::string> recommended_in_words(const Json& results)
{
    const auto words = [](const Json& name) {
        return name.is_string() ? name.get<std::string>() : name.dump();
    };
    std::vector<std::string> lines;
    for (const Json& row : results.value("recommended", Json::array())) {
        std::vector<std::string> columns;
        for (const Json& column : row.at("columns")) {
            columns.push_back(words(column));
        }
        lines.push_back("to " + words(row.at("row")) + ": " + join(columns));
    }
    return lines;
}

} // namespace

workloads::Kind alx_kind()
{
    workloads::Kind kind;
    kind.name = "alx";
    kind.fields = workload_fields();
    kind.whole_fields = {"dataset"};
    kind.make = make_workload;
    kind.sketch = sketch_workload;
    kind.counted = counted_iterations;
    kind.numbers_remark =
        "the solver iterated as often as the data needed, here as often as is assumed";
    kind.predict_memory = [](const Json& study, const std::string& file) {
        return predicted_host_memory(point_request(study), file);
    };
    kind.phases = phase_names();
    kind.figures = {links_lost_figure, rows_fit_figure};
    kind.notes = notes_of;
    kind.inputs = input_unknowns({});
    kind.exports = Export::names();
    kind.choices = choice_names();
    kind.search = workloads::SearchRules{{"recall_at_20", "recall_at_50"},
                                         "/workload/evaluation/metrics",
                                         "/workload/split",
                                         {{"/workload/split/validation", true}},
                                         is_spoilt};
    kind.metrics = {{"objective", "", "", workloads::Better::lower}};
    kind.target = {{"recall_at_20", "recall", "/workload/evaluation/target_recall_at_20",
                    "where /workload/split holds test rows back"}};
    kind.findings = recommended_in_words;
    kind.beaten_hint = [](const Json& results) -> std::string {
        return results.contains(collapsed_field)
                   ? "" // a note says why
                   : "try a search over parameters (docs/recommender.md)";
    };
    kind.works = {{"solve", solve_work()}, {"top_k", top_k_work()}};
    kind.help = help();
    kind.example = example;
    return kind;
}

} // namespace alxsim::alx
