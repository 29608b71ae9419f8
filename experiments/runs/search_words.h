// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/text_table.h"
#include "report/report.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Finds what a candidate of a search reached of the metric `name`; none: it has none.
std::optional<double> reached_by(const report::SearchCandidate& candidate, const std::string& name);

/// Ranks all candidates, those without the metric last; ties in the order in which they were tried.
std::vector<std::size_t> best_first(const report::SearchOutcome& search);

/// Candidates of a search as a table: the metric, each value and, where it is known, the interval
/// at which it was best.
struct CandidateTable {
    TableRow heads;
    std::vector<TableRow> rows;
    std::vector<bool> flush_right;
};

/// How many of the best are told.
constexpr std::size_t best_told = 5;

/// Makes the table; `interval`: what one is called, "epoch".
CandidateTable table_of(const std::vector<report::SearchCandidate>& candidates,
                        const std::string& metric, const std::string& interval);

/// Takes the first `best_told` of best_first().
std::vector<report::SearchCandidate> best_candidates(const report::SearchOutcome& search);

/// Says "reg 0.01, alpha 0.03".
std::string values_in_words(const report::SearchCandidate& candidate);

/// "recall_at_20 0.621 (best so far 0.634)" of one candidate after the other, in the order in which
/// they are settled.
class BestSoFar {
public:
    explicit BestSoFar(std::string metric) : metric_(std::move(metric)) {}

    std::string told(const std::optional<double>& reached);

private:
    std::string metric_;
    std::optional<double> best_;
};

} // namespace alxsim::experiments
