// SPDX-License-Identifier: Apache-2.0
#include "program/requests/run_study.h"

#include "base/input_error.h"
#include "experiments/runs/executors/host_room.h"
#include "experiments/runs/search.h"
#include "experiments/runs/search_words.h"
#include "report/wording/point_words.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace alxsim::program {

using namespace experiments;

namespace {

/// Bad input is no candidate that lost, and the best is the best of all: a search of which a
/// candidate is missing could come out otherwise the next time.
void refuse_failed_candidates(const std::vector<PointSpec>& candidates,
                              const std::vector<PointResult>& results)
{
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::string why = results[i].point.error.value_or("");
        if (results[i].refused) {
            throw input_error_of(why, candidates[i].study.file);
        }
        if (results[i].point.error) {
            throw std::runtime_error("a candidate of the search failed (" +
                                     label_of(candidates[i]) + "): " + why +
                                     "; the others are kept: go on with --resume, or --retry");
        }
    }
}

/// The best candidate, then a table of the best, line by line.
void tell_outcome(const report::SearchOutcome& outcome, const std::string& interval,
                  const Tell& tell)
{
    const report::SearchCandidate& best = outcome.best_candidate();
    const bool by_best = reached_by(best, report::kept_interval).has_value();
    tell("search: best of " + std::to_string(outcome.candidates.size()) + " by " +
         outcome.maximize + (by_best ? " of each one's best " + interval : "") +
         " on validation rows: " + values_in_words(best));
    CandidateTable table = table_of(best_candidates(outcome), outcome.maximize, interval);
    table.rows.insert(table.rows.begin(), table.heads);
    std::istringstream lines(text_table(table.rows, table.flush_right));
    for (std::string line; std::getline(lines, line);) {
        tell("  " + line);
    }
    if (!outcome.at_edge.empty()) {
        tell("search: the best " + join(outcome.at_edge) +
             " is at the edge of the grid: a wider one may hold better");
    }
}

/// What one interval of the candidates is called.
std::string interval_of(const std::vector<PointResult>& results)
{
    const auto found = std::find_if(results.begin(), results.end(), [](const PointResult& one) {
        return one.point.result.has_value();
    });
    return found == results.end() ? "interval" : report::interval_words(*found->point.result).one;
}

} // namespace

StudyRun begun_run(Study study)
{
    StudyRun run{std::move(study), {}, {}, {}, {}, {}};
    run.points = expand(run.study);
    run.assumptions = assumptions_of(run.points); // reads each machine
    return run;
}

void check_trace(const TraceRequest& request, const std::vector<PointSpec>& points,
                 const Tell& tell)
{
    traced_steps_of(request.steps, "--trace-steps");
    if (!request.wanted()) {
        return;
    }
    const auto simulated = std::count_if(points.begin(), points.end(), [](const PointSpec& point) {
        return point.study.fidelity != Fidelity::analytic;
    });
    const auto all = static_cast<std::ptrdiff_t>(points.size());
    if (simulated == 0) {
        throw InputError("--trace", request.file,
                         "found, but no point of the study is simulated: an analytic point has no "
                         "timeline; allowed: with --fidelity detailed or sampled");
    }
    if (simulated < all) {
        tell("note: " + std::to_string(all - simulated) + " of " + std::to_string(all) +
             " points are analytic: they have no timeline, and no trace");
    }
}

void check_export(const std::string& folder, const std::vector<PointSpec>& points, const Tell& tell)
{
    const bool numbers = std::any_of(points.begin(), points.end(),
                                     [](const PointSpec& point) { return point.study.numerics; });
    if (!folder.empty() && !numbers) {
        throw InputError("--export", folder,
                         "found, but no point of the study has numbers that could be written; "
                         "allowed: with \"numerics\": true");
    }
    if (folder.empty() && !points.front().study.exported.empty()) {
        tell("note: the study says what to export, but nothing is written without --export FOLDER "
             "(export= in Python)");
    }
}

RunnerOptions within_host_room(const StudyRun& run, RunnerOptions options, const HostRoomUse& use)
{
    const auto room = std::make_shared<HostRoom>(host_room(run.points, use.jobs));
    const auto keep_to_it = [room, run_at_once = use.run_at_once] {
        if (run_at_once) {
            run_at_once(room->points_at_once());
        }
    };
    keep_to_it();
    if (use.tell && !room->in_words().empty()) {
        use.tell(room->in_words());
    }
    options.took = [room, keep_to_it](const report::HostUse& took) {
        if (!room->learn(took)) {
            return std::string();
        }
        keep_to_it();
        return room->in_words();
    };
    return options;
}

void run_search(StudyRun& run, RunnerOptions options, Executor& executor, const Tell& tell)
{
    if (!run.study.search) {
        return;
    }
    const std::vector<Settings> candidates = search_candidates(run.study);
    if (!options.keep_folder.empty()) {
        options.keep_folder += "/search";
    }
    options.export_folder.clear(); // what is tried is not exported, nor traced
    options.trace = {};
    options.settled = nullptr;
    const std::string metric = searched_metric(run.study);
    options.settled_in_words = [&metric, &study = run.study, best = BestSoFar(metric)](
                                   std::size_t, const PointResult& result) mutable {
        return best.told(reached_in(study, result.point, metric));
    };
    const std::vector<PointSpec> points = search_points(run.study, candidates);
    const std::vector<PointResult> results = run_points(points, options, executor);
    refuse_failed_candidates(points, results);
    const report::SearchOutcome outcome = search_outcome(run.study, candidates, results);
    run = begun_run(changed(run.study, outcome.best_candidate().values));
    tell_outcome(outcome, interval_of(results), tell);
    run.search = outcome;
}

void refuse_if_study_is_refused(const StudyRun& run)
{
    std::vector<std::optional<std::string>> refusals;
    for (const PointResult& result : run.results) {
        refusals.push_back(result.refused ? result.point.error : std::nullopt);
    }
    refuse_if_all_are_refused_alike(run.points, refusals);
}

} // namespace alxsim::program
