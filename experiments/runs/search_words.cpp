// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/search_words.h"

#include "base/input_error.h"
#include "base/text/printed.h"

#include <algorithm>
#include <numeric>

namespace alxsim::experiments {
namespace {

/// Four digits: candidates beside each other may differ in the third.
std::string short_number(double value)
{
    return printed("%.4g", value);
}

std::string value_in_words(const Json& value)
{
    return value.is_string()         ? value.get<std::string>()
           : value.is_number_float() ? short_number(value.get<double>())
                                     : value.dump();
}

std::string last_name(const std::string& pointer)
{
    return pointer.substr(pointer.rfind('/') + 1);
}

} // namespace

std::optional<double> reached_by(const report::SearchCandidate& candidate, const std::string& name)
{
    const auto found = std::find_if(candidate.reached.begin(), candidate.reached.end(),
                                    [&](const auto& one) { return one.first == name; });
    return found == candidate.reached.end() ? std::nullopt : found->second;
}

std::vector<std::size_t> best_first(const report::SearchOutcome& search)
{
    std::vector<std::size_t> order(search.candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto reached = [&](std::size_t candidate) {
        return reached_by(search.candidates[candidate], search.maximize);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return reached(a) > reached(b); });
    return order;
}

CandidateTable table_of(const std::vector<report::SearchCandidate>& candidates,
                        const std::string& metric, const std::string& interval)
{
    CandidateTable table;
    table.heads = {metric};
    for (const auto& [pointer, value] : candidates.front().values) {
        table.heads.push_back(last_name(pointer));
    }
    const bool knows_interval =
        std::any_of(candidates.begin(), candidates.end(), [](const auto& candidate) {
            return reached_by(candidate, report::kept_interval).has_value();
        });
    if (knows_interval) {
        table.heads.push_back(interval);
    }
    for (const report::SearchCandidate& candidate : candidates) {
        const std::optional<double> reached = reached_by(candidate, metric);
        TableRow row{reached ? short_number(*reached) : "none"};
        for (const auto& [pointer, value] : candidate.values) {
            row.push_back(value_in_words(value));
        }
        if (knows_interval) {
            const std::optional<double> kept = reached_by(candidate, report::kept_interval);
            row.push_back(kept ? short_number(*kept) : "");
        }
        table.rows.push_back(std::move(row));
    }
    table.flush_right.assign(table.heads.size(), true);
    return table;
}

std::vector<report::SearchCandidate> best_candidates(const report::SearchOutcome& search)
{
    std::vector<report::SearchCandidate> best;
    for (const std::size_t candidate : best_first(search)) {
        if (best.size() < best_told) {
            best.push_back(search.candidates[candidate]);
        }
    }
    return best;
}

std::string values_in_words(const report::SearchCandidate& candidate)
{
    std::vector<std::string> words;
    for (const auto& [pointer, value] : candidate.values) {
        words.push_back(last_name(pointer) + " " + value_in_words(value));
    }
    return join(words);
}

std::string BestSoFar::told(const std::optional<double>& reached)
{
    best_ = std::max(best_, reached);
    return metric_ + " " + (reached ? short_number(*reached) : "none") +
           (best_ ? " (best so far " + short_number(*best_) + ")" : "");
}

} // namespace alxsim::experiments
