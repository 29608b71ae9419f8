// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/notes/quality_notes.h"

#include "base/input_error.h"
#include "base/text/printed.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alxsim::alx {
namespace {

/// A best epoch that is better than the last by less is not worth a word.
constexpr double worth_a_word = 0.01;

/// Means of fewer rows come with their standard error.
constexpr std::size_t few_test_rows = 100;

std::string name_of_judge(const AlxConfig& config)
{
    return config.evaluation.metrics[config.evaluation.judged_by].name();
}

std::string best_in_words(const AlxConfig& config, const EpochQuality& best)
{
    return name_of_judge(config) + " was best, " + printed("%.3f", *best.judged(config)) +
           ", at epoch " + std::to_string(best.epoch);
}

const char* way_to_the_best(const AlxConfig& config)
{
    return config.evaluation.keep_best
               ? "; its tables are kept"
               : "; \"keep_best\": true in /workload/evaluation keeps its tables";
}

std::optional<std::string> divergence_note(const AlxConfig& config,
                                           const std::vector<EpochQuality>& quality)
{
    const auto is_finite = [](const EpochQuality& one) { return std::isfinite(one.objective); };
    const auto first = std::find_if_not(quality.begin(), quality.end(), is_finite);
    if (first == quality.end()) {
        return std::nullopt;
    }
    if (is_finite(quality.back())) {
        return "the objective was not finite after epoch " + std::to_string(first->epoch) +
               ", and is again in the end";
    }
    const auto last_finite = std::find_if(quality.rbegin(), quality.rend(), is_finite);
    std::string note = "the objective is not finite since epoch " +
                       std::to_string(last_finite.base()->epoch) + ": training diverged";
    if (config.solve_dtype == model::DType::bf16) {
        note += "; systems were solved in bf16, \"solve_dtype\": \"f32\" in /workload/alx is safer";
    }
    const EpochQuality& best = best_of(config, quality);
    if (best.ranking && std::isfinite(best.objective)) {
        note += "; " + best_in_words(config, best) + way_to_the_best(config);
    }
    return note;
}

/// What all links weigh together: their number, where they have no weights of their own.
double link_weights(const SparseMatrix& matrix)
{
    double sum = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        sum += matrix.weight(row);
    }
    return sum;
}

/// Why tables end as zeros. Zeros minimize the objective where reg is above the largest singular
/// value of the links' weights, each over the roots of what all pairs of its row and of its column
/// weigh: those roots as vectors bound it from below by weights / (weights + alpha rows columns).
std::string cause_of_collapse(const AlxConfig& config, const Dataset& data, bool began_as_zeros)
{
    if (began_as_zeros) {
        return ": the columns' table began as zeros, from which no epoch leads away (stddev in "
               "/workload/alx/initial, or initial_tables)";
    }
    const double links = link_weights(data.training);
    const double pairs = static_cast<double>(data.training_row_count()) * data.training.columns;
    const double enough = links / (links + config.alpha * pairs);
    if (config.reg < enough) {
        return "";
    }
    const std::string what = data.training.weights ? "weights of links" : "links";
    const std::string from =
        "reg " + printed("%g", config.reg) + " of /workload/alx is too large" +
        (config.alpha > 1 ? " beside alpha " + printed("%g", config.alpha) : "") +
        ", zeros minimize the objective from about " + printed("%.2g", enough) + " on";
    return config.alpha > 1 ? ": a pair without a link weighs more than a link (alpha), and " + from
                            : ": " + from + " (" + what + " / (" + what + " + alpha x all pairs))";
}

/// Says since when the tables are zeros, to the end.
std::optional<std::string> collapse_note(const AlxConfig& config, const Dataset& data,
                                         const TrainingRun& run)
{
    const std::optional<int> since = collapsed_since(run.quality());
    if (!since) {
        return std::nullopt;
    }
    std::string note = "since epoch " + std::to_string(*since) +
                       " the tables are as good as 0 (the objective is that of zeros), so that "
                       "what is recommended says nothing" +
                       cause_of_collapse(config, data, run.began_as_zeros());
    if (!run.final_quality().collapsed) {
        note += "; " + best_in_words(config, run.final_quality()) + way_to_the_best(config);
    }
    return note;
}

std::optional<std::string> earlier_note(const AlxConfig& config,
                                        const std::vector<EpochQuality>& quality)
{
    const EpochQuality& last = quality.back();
    const EpochQuality& best = best_of(config, quality);
    const bool told = !std::isfinite(last.objective) || last.collapsed || !last.ranking;
    if (told || (!config.evaluation.keep_best &&
                 *last.judged(config) >= (1 - worth_a_word) * *best.judged(config))) {
        return std::nullopt;
    }
    if (best.epoch == last.epoch) {
        return std::nullopt;
    }
    return best_in_words(config, best) + ", and " + printed("%.3f", *last.judged(config)) +
           " at the last, " + std::to_string(last.epoch) + way_to_the_best(config);
}

std::optional<std::string> stop_note(const AlxConfig& config,
                                     const std::vector<EpochQuality>& quality)
{
    if (quality.back().epoch >= config.epochs) {
        return std::nullopt;
    }
    return "training ended after epoch " + std::to_string(quality.back().epoch) + " of " +
           std::to_string(config.epochs) + ": " + std::to_string(*config.evaluation.stop_after) +
           " epochs without a better " + name_of_judge(config) + " (stop_after)";
}

/// Metrics of which K places hold every column that may be recommended.
std::optional<std::string> few_columns_note(const AlxConfig& config, const Dataset& data)
{
    using Kind = RankingMetric::Kind;
    std::int64_t most = 0; // columns that may be recommended to a row
    for (std::int32_t row = 0; row < data.history.rows; ++row) {
        most = std::max(most, data.training.columns - data.history.length(row));
    }
    std::vector<std::string> names;
    for (const RankingMetric& metric : config.evaluation.metrics) {
        const bool by_hits = metric.kind == Kind::recall || metric.kind == Kind::precision ||
                             metric.kind == Kind::hit_rate || metric.kind == Kind::coverage;
        if (by_hits && metric.k >= static_cast<std::size_t>(most)) {
            names.push_back(metric.name());
        }
    }
    if (names.empty() || data.history.rows == 0) {
        return std::nullopt;
    }
    return join(names, " and ") + (names.size() == 1 ? " says" : " say") +
           " nothing here: at most " + std::to_string(most) +
           " columns may be recommended to a test row, and so many places hold them all; metrics "
           "of a smaller K, ndcg, map, mrr and auc do";
}

std::optional<std::string> few_rows_note(const AlxConfig& config, const Dataset& data,
                                         const EpochQuality& final)
{
    if (!final.ranking || final.collapsed || data.test_rows.size() >= few_test_rows) {
        return std::nullopt;
    }
    const std::size_t rows = data.test_rows.size();
    std::string note =
        "only " + std::to_string(rows) + (rows == 1 ? " row is" : " rows are") + " tested on";
    if (final.standard_error) {
        note += ": " + name_of_judge(config) + " is " + printed("%.3f", *final.judged(config)) +
                " with a standard error of " + printed("%.3f", *final.standard_error);
    }
    return note + "; smaller differences between runs say little";
}

} // namespace

std::vector<std::string> quality_notes(const AlxConfig& config, const Dataset& data,
                                       const TrainingRun& run)
{
    std::vector<std::string> notes;
    for (const std::optional<std::string>& note :
         {divergence_note(config, run.quality()), collapse_note(config, data, run),
          earlier_note(config, run.quality()), stop_note(config, run.quality()),
          few_rows_note(config, data, run.final_quality())}) {
        if (note) {
            notes.push_back(*note);
        }
    }
    return notes;
}

std::vector<std::string> metric_notes(const AlxConfig& config, const Dataset& data)
{
    const std::optional<std::string> note = few_columns_note(config, data);
    return note ? std::vector<std::string>{*note} : std::vector<std::string>{};
}

std::optional<int> collapsed_since(const std::vector<EpochQuality>& quality)
{
    std::optional<int> since;
    for (auto one = quality.rbegin(); one != quality.rend() && one->collapsed; ++one) {
        since = one->epoch;
    }
    return since;
}

Json best_epoch_json(const AlxConfig& config, const std::vector<EpochQuality>& quality)
{
    const EpochQuality& best = best_of(config, quality);
    return {{"epoch", best.epoch},
            {"metric", name_of_judge(config)},
            {"value", *best.judged(config)},
            {"epochs_run", quality.back().epoch},
            {"tables_kept", config.evaluation.keep_best}};
}

} // namespace alxsim::alx
