// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/compare/comparison.h"
#include "experiments/answers/compare/sketches.h"
#include "model/uncertainty.h"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace alxsim::experiments {
namespace {

using report::Point;
using report::Report;

constexpr std::array<std::string_view, 5> by_names{"sweep", "cores", "chips", "dollars",
                                                   "joules"}; ///< as in the enum

std::vector<std::string> series_of(const Report& report)
{
    std::vector<std::string> names;
    for (const report::Series& series : report.series) {
        names.push_back(series.name);
    }
    return names;
}

void expect_series(const std::string& name, const Report& report, const char* which)
{
    const std::vector<std::string> names = series_of(report);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError("--series", name,
                         std::string("is no series of ") + which + "; allowed: " + join(names) +
                             did_you_mean(name, names));
    }
}

/// What a sweep set besides the machine.
Settings but_the_machine(const Settings& sweep)
{
    Settings rest;
    for (const auto& [pointer, value] : sweep) {
        if (pointer.rfind("/machine/", 0) != 0) {
            rest.set(pointer, value);
        }
    }
    return rest;
}

/// None where the two are not to be held against each other.
bool may_be_paired(const Point& a, const Point& b, CompareBy by)
{
    if (by == CompareBy::sweep) {
        return a.sweep == b.sweep;
    }
    if (but_the_machine(a.sweep) != but_the_machine(b.sweep)) {
        return false;
    }
    const auto no_more = [](const std::optional<double>& most, const std::optional<double>& value) {
        return most && value && *value <= *most;
    };
    switch (by) {
    case CompareBy::cores:
        return a.machine.cores == b.machine.cores;
    case CompareBy::chips:
        return a.machine.chips == b.machine.chips;
    case CompareBy::dollars:
        return no_more(a.result->cost_usd, b.result->cost_usd);
    default:
        return no_more(a.result->energy_joules, b.result->energy_joules);
    }
}

/// The fastest of those that may be paired with it; null: none.
const Point* counterpart(const Point& a, const std::string& series, const Report& b, CompareBy by)
{
    const Point* best = nullptr;
    for (const Point& point : b.points) {
        if (point.result && point.series == series && may_be_paired(a, point, by) &&
            (best == nullptr || point.seconds() < best->seconds())) {
            best = &point;
        }
    }
    return best;
}

ComparedPoint told(const Point& point, const Report& of)
{
    const report::Result& result = *point.result;
    ComparedPoint told{static_cast<std::size_t>(&point - of.points.data()),
                       point.series,
                       point.sweep,
                       point.machine.id.value_or(""),
                       report::interval_words(result).one,
                       result.fidelity,
                       point.machine.chip,
                       point.machine.cores,
                       point.machine.chips,
                       point.seconds(),
                       result.cost_usd,
                       result.energy_joules,
                       {},
                       {}};
    if (point.left_out) {
        told.left_out_share = point.left_out->share;
    }
    if (const report::Quality* const final = report::final_quality(result)) {
        told.metrics = final->metrics;
    }
    return told;
}

/// `a` and `b` are points of these reports.
ComparedPair pair_of(const Point& a, const Report& of_a, const Point& b, const Report& of_b)
{
    ComparedPair pair{told(a, of_a), told(b, of_b), b.seconds() / a.seconds(), {}, {}};
    pair.sketches = workloads::distances(sketches_of(a), sketches_of(b));
    if (of_a.seed() != of_b.seed() || !a.result->drawn || !b.result->drawn) {
        return pair;
    }
    const std::vector<double>& draws_a = a.result->drawn->seconds;
    const std::vector<double>& draws_b = b.result->drawn->seconds;
    if (draws_a.empty() || draws_a.size() != draws_b.size()) {
        return pair;
    }
    std::vector<double> ratios(draws_a.size());
    std::transform(draws_b.begin(), draws_b.end(), draws_a.begin(), ratios.begin(),
                   std::divides<>());
    pair.ratio_low = model::quantile_of(ratios, 0.05);
    pair.ratio_high = model::quantile_of(ratios, 0.95);
    return pair;
}

/// The series of B that a series of A is held against; "": none.
std::string series_in_b(const std::string& name, const Report& a, const Report& b,
                        const CompareOptions& options)
{
    if (!options.series.empty()) {
        const auto found = std::find_if(options.series.begin(), options.series.end(),
                                        [&](const auto& pair) { return pair.first == name; });
        return found == options.series.end() ? "" : found->second;
    }
    return a.series.size() == 1 && b.series.size() == 1 ? b.series.front().name : name;
}

/// Whether a point whose sweep set the same is there, and without a time.
std::string why_alone(const Point& point, const std::string& series, const Report& other)
{
    const auto same = std::find_if(other.points.begin(), other.points.end(), [&](const Point& one) {
        return one.series == series && one.sweep == point.sweep;
    });
    if (same == other.points.end() || same->result) {
        return "no such point";
    }
    if (same->error) {
        return "it failed: " + *same->error;
    }
    if (!same->memory) {
        return "it does not fit";
    }
    const auto gigabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; };
    return "it does not fit (" + printed("%.3g of ", gigabytes(same->memory->needed_bytes())) +
           printed("%.3g GB)", gigabytes(same->memory->capacity_bytes));
}

/// The series of A that one of B is held against; "": none.
std::string series_in_a(const std::string& name, const Report& a, const Report& b,
                        const CompareOptions& options)
{
    const auto found = std::find_if(a.series.begin(), a.series.end(), [&](const auto& series) {
        return series_in_b(series.name, a, b, options) == name;
    });
    return found != a.series.end() ? found->name : options.series.empty() ? name : "";
}

/// Points of B with a time that no point of A swept the same has.
std::vector<LonePoint> only_in_b(const Report& a, const Report& b, const CompareOptions& options)
{
    std::vector<LonePoint> alone;
    for (const Point& point : b.points) {
        const std::string series = series_in_a(point.series, a, b, options);
        if (point.result && !series.empty() &&
            counterpart(point, series, a, CompareBy::sweep) == nullptr) {
            alone.push_back({point.series, point.sweep, why_alone(point, series, a)});
        }
    }
    return alone;
}

/// Each chip once.
std::vector<std::string> chips_without_price(const Report& a, const Report& b)
{
    std::vector<std::string> chips;
    for (const Report* report : {&a, &b}) {
        for (const Point& point : report->points) {
            const std::string& chip = point.machine.chip;
            if (point.result && !point.result->cost_usd &&
                std::find(chips.begin(), chips.end(), chip) == chips.end()) {
                chips.push_back(chip);
            }
        }
    }
    return chips;
}

} // namespace

CompareBy compare_by(const std::string& name)
{
    const auto* const found = std::find(by_names.begin(), by_names.end(), name);
    if (found == by_names.end()) {
        throw std::out_of_range("nothing to compare by: " + name);
    }
    return static_cast<CompareBy>(found - by_names.begin());
}

std::string name_of(CompareBy by)
{
    return std::string(by_names.at(static_cast<std::size_t>(by)));
}

std::vector<std::string> names_of_compare_by()
{
    return {by_names.begin(), by_names.end()};
}

bool has_common_series(const Report& a, const Report& b, const CompareOptions& options)
{
    const std::vector<std::string> of_b = series_of(b);
    return std::any_of(a.series.begin(), a.series.end(), [&](const report::Series& series) {
        const std::string name = series_in_b(series.name, a, b, options);
        return std::find(of_b.begin(), of_b.end(), name) != of_b.end();
    });
}

Comparison compare_reports(const Report& a, const Report& b, const CompareOptions& options)
{
    for (const auto& [of_a, of_b] : options.series) {
        expect_series(of_a, a, "A");
        expect_series(of_b, b, "B");
    }
    Comparison comparison{options.by, a.points.size(), b.points.size(), {}};
    for (const Point& point : a.points) {
        const std::string series = series_in_b(point.series, a, b, options);
        if (!point.result || series.empty()) {
            continue;
        }
        if (const Point* const other = counterpart(point, series, b, options.by)) {
            comparison.pairs.push_back(pair_of(point, a, *other, b));
        } else {
            comparison.only_a.push_back({point.series, point.sweep, why_alone(point, series, b)});
        }
    }
    if (options.by == CompareBy::sweep) {
        comparison.only_b = only_in_b(a, b, options);
    } else {
        comparison.without_price = chips_without_price(a, b);
    }
    return comparison;
}

} // namespace alxsim::experiments
