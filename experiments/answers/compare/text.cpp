// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/compare/comparison.h"
#include "experiments/answers/compare/sketches.h"
#include "experiments/points/study/study.h"
#include "report/words.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// "64 x tpu_v4 (128 cores)".
std::string machine_in_words(const ComparedPoint& point)
{
    return std::to_string(point.chips) + " x " + point.chip + " (" + std::to_string(point.cores) +
           " cores)";
}

/// Columns of a table of pairs.
class Columns {
public:
    explicit Columns(const std::vector<ComparedPair>& pairs) : pairs_(pairs), rows_(pairs.size()) {}

    template <class Cell>
    void add(const std::string& title, bool flush_right, const Cell& cell)
    {
        titles_.push_back(title);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            rows_[i].push_back(cell(pairs_[i]));
        }
        flush_right_.push_back(flush_right);
    }

    void tell(Document& document) const { document.table(titles_, rows_, flush_right_); }

private:
    const std::vector<ComparedPair>& pairs_;
    TableRow titles_;
    std::vector<TableRow> rows_;
    std::vector<bool> flush_right_;
};

/// The first metric that both points have; "": none.
std::string common_metric(const ComparedPair& pair)
{
    for (const auto& [name, value] : pair.a.metrics) {
        const auto other =
            std::find_if(pair.b.metrics.begin(), pair.b.metrics.end(),
                         [&metric = name](const auto& entry) { return entry.first == metric; });
        if (value && other != pair.b.metrics.end() && other->second) {
            return name;
        }
    }
    return "";
}

double metric_of(const ComparedPoint& point, const std::string& name)
{
    return *std::find_if(point.metrics.begin(), point.metrics.end(), [&](const auto& entry) {
                return entry.first == name;
            })->second;
}

template <class Predicate>
bool any(const Comparison& comparison, const Predicate& predicate)
{
    return std::any_of(comparison.pairs.begin(), comparison.pairs.end(), predicate);
}

void add_who(Columns& table, const Comparison& comparison)
{
    table.add("series", false, [](const ComparedPair& pair) {
        return pair.a.series == pair.b.series ? pair.a.series
                                              : pair.a.series + " : " + pair.b.series;
    });
    if (any(comparison, [](const ComparedPair& pair) { return !pair.a.sweep.empty(); })) {
        table.add("point", false,
                  [](const ComparedPair& pair) { return settings_in_words(pair.a.sweep); });
    }
    const bool machines_differ = any(comparison, [](const ComparedPair& pair) {
        return pair.a.chip != pair.b.chip || pair.a.cores != pair.b.cores;
    });
    if (machines_differ) {
        table.add("A's chips", false, [](const auto& pair) { return machine_in_words(pair.a); });
        table.add("B's chips", false, [](const auto& pair) { return machine_in_words(pair.b); });
    }
}

/// In dollars, or per 1,000 where all are below a tenth of a cent.
void add_costs(Columns& table, const Comparison& comparison)
{
    const bool tiny = !any(comparison, [](const ComparedPair& pair) {
        return pair.a.cost_usd.value_or(0) >= 0.001 || pair.b.cost_usd.value_or(0) >= 0.001;
    });
    const std::string unit = tiny ? "USD per 1,000" : "USD";
    const auto words = [tiny](std::optional<double> usd) {
        return printed("%.4g", usd && tiny ? std::optional(*usd * 1e3) : usd);
    };
    table.add("A, " + unit, true, [&](const auto& pair) { return words(pair.a.cost_usd); });
    table.add("B, " + unit, true, [&](const auto& pair) { return words(pair.b.cost_usd); });
}

void add_figures(Columns& table, const Comparison& comparison)
{
    table.add("A, s", true, [](const auto& pair) { return printed("%.5g", pair.a.epoch_seconds); });
    table.add("B, s", true, [](const auto& pair) { return printed("%.5g", pair.b.epoch_seconds); });
    table.add("B/A", true, [](const auto& pair) { return printed("%.4f", pair.ratio); });
    if (any(comparison, [](const ComparedPair& pair) { return pair.ratio_low.has_value(); })) {
        table.add("in 90 % of the draws", false, [](const ComparedPair& pair) {
            return pair.ratio_low ? printed("%.4f", *pair.ratio_low) + " to " +
                                        printed("%.4f", *pair.ratio_high)
                                  : std::string("-");
        });
    }
    const bool priced = comparison.by != CompareBy::sweep;
    if (priced && any(comparison, [](const ComparedPair& pair) { return pair.a.cost_usd; })) {
        add_costs(table, comparison);
    }
    if (priced && any(comparison, [](const ComparedPair& pair) { return pair.a.energy_joules; })) {
        table.add("A, J", true,
                  [](const auto& pair) { return printed("%.4g", pair.a.energy_joules); });
        table.add("B, J", true,
                  [](const auto& pair) { return printed("%.4g", pair.b.energy_joules); });
    }
    if (any(comparison, [](const ComparedPair& pair) { return !common_metric(pair).empty(); })) {
        table.add("metric of A and B", false, [](const ComparedPair& pair) {
            const std::string name = common_metric(pair);
            return name.empty() ? "-"
                                : name + " " + printed("%.4f", metric_of(pair.a, name)) + " " +
                                      printed("%.4f", metric_of(pair.b, name));
        });
    }
}

/// "'v3' (cores 16, cores 32, ...)" of each series.
std::string series_in_words(const report::Report& report)
{
    std::vector<std::string> words;
    for (const report::Series& series : report.series) {
        std::vector<std::string> points;
        for (const std::size_t index : series.points) {
            if (points.size() == 3) {
                points.emplace_back("...");
                break;
            }
            points.push_back(settings_in_words(report.points.at(index).sweep));
        }
        words.push_back("'" + series.name + "' (" + join(points, "; ") + ")");
    }
    return join(words);
}

bool any_result(const report::Report& report, std::optional<double> report::Result::*figure)
{
    return std::any_of(report.points.begin(), report.points.end(), [&](const report::Point& point) {
        return point.result && (*point.result).*figure;
    });
}

/// Said before all ratios of points that leave out different shares of their data.
void tell_unlike_work(Document& document, const std::vector<ComparedPair>& pairs)
{
    const auto share = [](const ComparedPoint& point) { return point.left_out_share.value_or(0); };
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const ComparedPair& pair) {
        return share(pair.a) != share(pair.b);
    });
    if (found != pairs.end()) {
        document.line("Not the same work: of the data, A leaves out " +
                      report::percent_in_words(share(found->a)) + " and B " +
                      report::percent_in_words(share(found->b)) +
                      ", here or at further points. Ratios of times do not compare them.");
    }
}

} // namespace

Document document_of(const Comparison& comparison)
{
    Document document;
    tell_unlike_work(document, comparison.pairs);
    Columns table(comparison.pairs);
    add_who(table, comparison);
    add_figures(table, comparison);
    table.tell(document);
    const std::string both =
        comparison.by == CompareBy::sweep ? " points in both" : " points of A have one in B";
    document.line(std::to_string(comparison.pairs.size()) + both + " (A has " +
                  std::to_string(comparison.points_a) + ", B " +
                  std::to_string(comparison.points_b) + ")");
    if (!comparison.without_price.empty()) {
        document.line("no price is known of " + join(comparison.without_price) +
                      (comparison.by == CompareBy::dollars ? ": its points are left out"
                                                           : ": no dollars are told of it"));
    }
    tell_sketches(document, comparison.pairs);
    return document;
}

std::string why_no_pair(const report::Report& a, const report::Report& b,
                        const CompareOptions& options)
{
    const CompareBy by = options.by;
    for (const report::Report* report : {&a, &b}) {
        const char* const which = report == &a ? "A" : "B";
        if (by == CompareBy::dollars && !any_result(*report, &report::Result::cost_usd)) {
            return std::string("no point of ") + which + " has a price: its chip's preset has none";
        }
        if (by == CompareBy::joules && !any_result(*report, &report::Result::energy_joules)) {
            return std::string("no point of ") + which +
                   " tells its energy: its chip's preset has no power";
        }
    }
    std::string words = "no point of A has one in B. A's series: " + series_in_words(a) +
                        "; B's: " + series_in_words(b) + ". ";
    if (!has_common_series(a, b, options)) {
        words += "Series of other names are paired by --series A=B; points by what else they have "
                 "in common by --by, like --by chips";
        return words;
    }
    const std::vector<LonePoint> alone = compare_reports(a, b, options).only_a;
    words += alone.empty() ? "A has no time"
                           : "The first point of A, '" + alone.front().series +
                                 "', in B: " + alone.front().why;
    return words + "; points are paired by what else they have in common by --by, like --by chips";
}

} // namespace alxsim::experiments
