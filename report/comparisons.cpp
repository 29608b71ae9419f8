// SPDX-License-Identifier: Apache-2.0
#include "report/comparisons.h"

#include "base/input_error.h"
#include "report/point_fields.h"
#include "report/verdict.h"
#include "report/words.h"
#include "report/worlds.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alxsim::report {
namespace {

using Indices = std::vector<std::size_t>;

/// A value of a study's claim: a field, or the ratio of two.
class Expression {
public:
    explicit Expression(std::string expression) : expression_(std::move(expression))
    {
        const std::size_t slash = expression_.find('/');
        paths_.push_back(expression_.substr(0, slash));
        if (slash != std::string::npos) {
            paths_.push_back(expression_.substr(slash + 1));
        }
    }

    const std::string& expression() const { return expression_; }

    /// `number` of the field, or the ratio; none where one is missing. A ratio to nothing is no
    /// number.
    template <class Number>
    std::optional<double> value(const Number& number) const
    {
        const std::optional<double> first = number(paths_[0]);
        if (!first || paths_.size() == 1) {
            return first;
        }
        const std::optional<double> second = number(paths_[1]);
        return second ? std::optional<double>(*second == 0 ? std::nan("") : *first / *second)
                      : std::nullopt;
    }

private:
    std::string expression_;
    std::vector<std::string> paths_;
};

bool compare(double value, const std::string& is, double than)
{
    if (is == ">") {
        return value > than;
    }
    if (is == ">=") {
        return value >= than;
    }
    if (is == "<") {
        return value < than;
    }
    if (is == "<=") {
        return value <= than;
    }
    if (is == "==") {
        return value == than;
    }
    if (is == "!=") {
        return value != than;
    }
    throw InputError("", "/hypotheses",
                     "found comparison \"" + is + "\"; allowed: <, <=, >, >=, ==, !=");
}

/// One comparison: at a core count (absent: of the series as a whole).
struct Comparison {
    double value = 0;
    double than = 0;
    bool holds = false;
    std::optional<std::int64_t> cores;
    std::optional<Settings> sweep; ///< what else sets the point apart in its series
    std::optional<double> share;   ///< of the draws in which it is true by itself
};

template <class Fields>
void list_fields(Fields& fields, Comparison& comparison)
{
    fields("value", comparison.value);
    fields("than", comparison.than);
    fields("holds", comparison.holds);
    fields("cores", comparison.cores);
    fields("sweep", comparison.sweep);
    fields("share", comparison.share);
}

class Judge {
public:
    Judge(const Hypothesis& hypothesis, const std::vector<Series>& all_series,
          const std::vector<Point>& points)
        : hypothesis_(hypothesis),
          points_(points),
          figures_(points),
          series_(series_named(hypothesis.series, all_series)),
          value_(hypothesis.value.value()),
          other_(hypothesis.than.value().number
                     ? nullptr
                     : &series_named(hypothesis.than->series, all_series)),
          other_value_(hypothesis.than->value)
    {
    }

    /// Why a value is none: its series has no sweet spot, or its points have other axes.
    std::string why_none(std::size_t index) const
    {
        const Json point = json_of(points_.at(index));
        if (value_.expression().find("sweet_spot") != std::string::npos) {
            return series_.sweet_spot ? "" : ", which has no sweet spot";
        }
        if (value_.expression().find("communication.") == std::string::npos ||
            !point.contains("communication")) {
            return "";
        }
        std::vector<std::string> axes;
        for (const auto& [axis, parts] : point.at("communication").items()) {
            axes.push_back(axis);
        }
        return "; its points communicate along " + join(axes);
    }

    std::vector<Comparison> comparisons(int draw) const
    {
        const World world(points_, draw);
        const auto of_series = [&](const std::string& path) { return world.number(series_, path); };
        if (const std::optional<double> value = value_.value(of_series)) {
            return compared({}, *value, than_at(world, nullptr));
        }
        std::vector<Comparison> all;
        for (const std::size_t index : where()) {
            const std::optional<double> value = at_point(world, series_, value_, index);
            if (!value) {
                throw InputError("", "/hypotheses",
                                 "No number '" + value_.expression() +
                                     "' stands in its points or its series" + why_none(index) +
                                     ".");
            }
            const Point& point = points_.at(index);
            for (const Comparison& one : compared(&point, *value, than_at(world, &point))) {
                all.push_back(one);
            }
        }
        return all;
    }

    /// How many draws all points have that the claim speaks of.
    int draws() const
    {
        Indices involved = fitting_points(series_.points, points_);
        if (other_ != nullptr) {
            const Indices others = fitting_points(other_->points, points_);
            involved.insert(involved.end(), others.begin(), others.end());
        }
        return common_draws(involved, points_);
    }

private:
    /// At a point; null: of the series as a whole.
    std::vector<Comparison> compared(const Point* point, double value,
                                     std::optional<double> than) const
    {
        if (!than) {
            return {};
        }
        Comparison one{value, *than, compare(value, hypothesis_.is.value(), *than), {}, {}, {}};
        if (point != nullptr) {
            one.cores = point->machine.cores;
            one.sweep = beside_cores(point->sweep);
        }
        return {one};
    }

    static std::optional<Settings> beside_cores(Settings sweep)
    {
        sweep.erase("/machine/cores");
        return sweep.empty() ? std::nullopt : std::optional<Settings>(std::move(sweep));
    }

    std::optional<double> at_point(const World& world, const Series& series,
                                   const Expression& expression, std::size_t index) const
    {
        const std::size_t base = fitting_points(series.points, points_).front();
        return expression.value(
            [&](const std::string& path) { return world.number(figures_, index, path, base); });
    }

    /// The fitting points of the series that the claim speaks of.
    Indices where() const
    {
        const PointRange range = hypothesis_.where.value_or(PointRange{});
        Indices chosen;
        for (const std::size_t index : fitting_points(series_.points, points_)) {
            if (range.holds(points_.at(index).machine.cores, points_.at(index).sweep)) {
                chosen.push_back(index);
            }
        }
        return chosen;
    }

    /// The point of the other series that goes with this one; none where it lacks it.
    std::optional<std::size_t> partner_of(const Point& point) const
    {
        std::optional<std::size_t> with_as_many_cores;
        for (const std::size_t index : fitting_points(other_->points, points_)) {
            const Point& other = points_.at(index);
            if (!point.sweep.empty() && other.sweep == point.sweep) {
                return index;
            }
            if (!with_as_many_cores && other.machine.cores == point.machine.cores) {
                with_as_many_cores = index;
            }
        }
        return with_as_many_cores;
    }

    /// What is compared with, for that point; null: for the series as a whole.
    std::optional<double> than_at(const World& world, const Point* point) const
    {
        if (other_ == nullptr) {
            return hypothesis_.than->number;
        }
        std::optional<double> value = other_value_.value(
            [&](const std::string& path) { return world.number(*other_, path); });
        if (!value && point != nullptr) {
            if (const auto partner = partner_of(*point)) {
                value = at_point(world, *other_, other_value_, *partner);
            }
        }
        return value ? std::optional<double>(*value * hypothesis_.than->times) : std::nullopt;
    }

    const Hypothesis& hypothesis_;
    const std::vector<Point>& points_;
    NamedFigures figures_;
    const Series& series_;
    Expression value_;
    const Series* other_;
    Expression other_value_;
};

/// ", batch 16"
std::string sweep_in_words(const Settings& sweep)
{
    std::string words;
    for (const auto& [pointer, value] : sweep) {
        words += ", " + pointer.substr(pointer.rfind('/') + 1) + " " +
                 (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return words;
}

/// Why what roles wait for one another is nothing; "" of all else.
std::string reason_in_words(const std::string& value, double number)
{
    const bool of_roles =
        value.rfind("waiting.bubble", 0) == 0 || value.rfind("waiting.late_peer", 0) == 0;
    return of_roles && number == 0 ? " (no role waits in this job)" : "";
}

std::string comparison_in_words(const Comparison& comparison, const Hypothesis& hypothesis)
{
    return *hypothesis.value + " is " + in_words(comparison.value) +
           reason_in_words(*hypothesis.value, comparison.value) +
           (comparison.cores ? " at " + std::to_string(*comparison.cores) +
                                   (*comparison.cores == 1 ? " core" : " cores")
                             : "") +
           (comparison.sweep ? sweep_in_words(*comparison.sweep) : "") +
           (comparison.holds ? ", " : ", not ") + *hypothesis.is + " " + in_words(comparison.than);
}

/// "With central values it fails at 2 of 5 points: epoch_seconds is ...; ..."
std::string points_in_words(const std::vector<Comparison>& comparisons,
                            const Hypothesis& hypothesis)
{
    std::vector<std::string> failing;
    for (const Comparison& comparison : comparisons) {
        if (!comparison.holds) {
            failing.push_back(comparison_in_words(comparison, hypothesis));
        }
    }
    if (failing.empty()) {
        return "With central values it is true" +
               (comparisons.size() > 1 ? " of all " + std::to_string(comparisons.size()) + " points"
                                       : std::string()) +
               ": " + comparison_in_words(comparisons.back(), hypothesis) + ".";
    }
    const std::string count = std::to_string(failing.size()) + " of " +
                              std::to_string(comparisons.size()) +
                              (comparisons.size() == 1 ? " point" : " points");
    return "With central values it fails at " + count + ": " + join(failing, "; ") + ".";
}

/// Writes in which share of the draws each is true by itself.
void add_shares(std::vector<Comparison>& comparisons, const Judge& judge, int draws)
{
    for (Comparison& comparison : comparisons) {
        comparison.share = draws > 0 ? std::optional(0.0) : std::nullopt;
    }
    for (int draw = 0; draw < draws; ++draw) {
        const std::vector<Comparison> drawn = judge.comparisons(draw);
        for (std::size_t i = 0; i < comparisons.size(); ++i) {
            *comparisons[i].share += drawn[i].holds ? 1.0 / draws : 0.0;
        }
    }
}

/// As its field is told: times and shares of the interval with their units.
std::string figure_in_words(double number, const std::string& value)
{
    const std::string share = "/epoch_seconds";
    const std::string seconds = "_seconds";
    const auto ends_with = [&](const std::string& end) {
        return value.size() >= end.size() &&
               value.compare(value.size() - end.size(), end.size(), end) == 0;
    };
    return ends_with(share)                       ? percent_in_words(number)
           : value.find('/') != std::string::npos ? in_words(number)
           : ends_with(seconds)                   ? seconds_in_words(number)
                                                  : in_words(number);
}

} // namespace

std::string measured_in_words(const Judgement& judgement, const Hypothesis& hypothesis)
{
    const Json comparisons = judgement.figures.value("comparisons", Json::array());
    if (comparisons.empty()) {
        return "";
    }
    const auto fails = std::find_if(comparisons.begin(), comparisons.end(),
                                    [](const Json& one) { return !one.value("holds", true); });
    const Json& told = fails == comparisons.end() ? comparisons.back() : *fails;
    if (!told.at("value").is_number() || !told.at("than").is_number()) {
        return "";
    }
    const std::string& value = hypothesis.value.value();
    const std::int64_t cores = told.value("cores", std::int64_t{0});
    const auto number = told.at("value").get<double>();
    return value + " is " + figure_in_words(number, value) + reason_in_words(value, number) +
           (cores > 0 ? " at " + counted(cores, "core") : "") +
           (told.contains("sweep") ? sweep_in_words(value_of_json<Settings>(told.at("sweep")))
                                   : "") +
           "; claimed " + hypothesis.is.value() + " " +
           figure_in_words(told.at("than").get<double>(), value);
}

Judgement judge_comparisons(const Hypothesis& hypothesis, const std::vector<Series>& all_series,
                            const std::vector<Point>& points)
{
    const Judge judge(hypothesis, all_series, points);
    std::vector<Comparison> comparisons = judge.comparisons(World::central);
    const auto holds = [](const Comparison& comparison) { return comparison.holds; };
    const int draws = judge.draws();
    Judgement result = judgement_of(hypothesis, draws, [&](int draw) {
        const std::vector<Comparison> all = judge.comparisons(draw);
        return all.empty()                                  ? Verdict::nothing
               : std::all_of(all.begin(), all.end(), holds) ? Verdict::held
                                                            : Verdict::refuted;
    });
    if (comparisons.empty()) {
        result.figures = {{"comparisons", Json::array()},
                          {"why", "There is no point to judge it by."}};
        return result;
    }
    add_shares(comparisons, judge, draws);
    result.figures = {{"comparisons", json_of(comparisons)},
                      {"why", share_in_words(result) + points_in_words(comparisons, hypothesis)},
                      {"failing", std::count_if(comparisons.begin(), comparisons.end(),
                                                [](const Comparison& one) { return !one.holds; })}};
    return result;
}

} // namespace alxsim::report
