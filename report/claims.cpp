// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include "base/input_error.h"
#include "report/series.h"
#include "report/words.h"
#include "report/worlds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

namespace alxsim::report {
namespace {

using Indices = std::vector<std::size_t>;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

enum class Verdict { held, refuted, not_flat_yet, nothing };

const char* name_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::held:
        return "held";
    case Verdict::refuted:
        return "refuted";
    case Verdict::not_flat_yet:
        return "not flat yet";
    case Verdict::nothing:
        break;
    }
    return "nothing to judge";
}

Indices fitting_of(const Json& series, const Json& points)
{
    return fitting_points(series.at("points").get<Indices>(), points);
}

/// Where so many draws say so.
std::string verdict_of(double held, double not_flat)
{
    return held >= settled_share       ? "held"
           : not_flat >= 0.5           ? "not flat yet"
           : held <= 1 - settled_share ? "refuted"
                                       : "undecided";
}

/// A claim's verdict with central values and in every draw.
Json verdict_json(const Json& hypothesis, int draws, const std::function<Verdict(int)>& judge)
{
    const Verdict with_central_values = judge(World::central);
    std::string verdict = name_of(with_central_values);
    Json result{{"name", hypothesis.at("name")},
                {"claim", hypothesis.at("claim")},
                {"series", hypothesis.at("series")},
                {"verdict", verdict},
                {"holds", nullptr}};
    if (draws > 0 && with_central_values != Verdict::nothing) {
        std::array<double, 4> shares{};
        for (int draw = 0; draw < draws; ++draw) {
            shares[static_cast<std::size_t>(judge(draw))] += 1.0 / draws;
        }
        const double held = std::min(1.0, shares[static_cast<std::size_t>(Verdict::held)]);
        const double not_flat = shares[static_cast<std::size_t>(Verdict::not_flat_yet)];
        verdict = verdict_of(held, not_flat);
        result["share"] = held;
        result["not_flat_yet_share"] = std::min(1.0, not_flat);
        result["draws"] = draws;
    }
    result["verdict"] = verdict;
    result["holds"] = verdict == "held"      ? Json(true)
                      : verdict == "refuted" ? Json(false)
                                             : Json(nullptr);
    return result;
}

/// "Held in 71 % of 256 draws."
std::string share_in_words(const Json& result)
{
    if (!result.contains("share")) {
        return "";
    }
    return "True in " + percent_in_words(result.at("share").get<double>()) + " of " +
           std::to_string(result.at("draws").get<int>()) + " draws of all uncertain inputs. ";
}

/// The gains of a curve, as the claim "linear, then flat" sees them.
struct Bend {
    explicit Bend(const std::vector<CoreTime>& curve) : sweet_spot(sweet_spot_of(curve))
    {
        for (const Gain& gain : sweet_spot.gains) {
            (gain.to <= sweet_spot.cores ? before : after).push_back(gain.gain);
        }
    }

    bool linear() const { return !before.empty() && median(before) >= nearly_linear_gain; }
    double largest_after() const { return *std::max_element(after.begin(), after.end()); }
    bool flat() const { return !after.empty() && largest_after() < enough_gain; }
    Verdict verdict() const
    {
        if (sweet_spot.at_edge == "high") {
            return Verdict::not_flat_yet;
        }
        return sweet_spot.at_edge.empty() && linear() && flat() ? Verdict::held : Verdict::refuted;
    }

    SweetSpot sweet_spot;
    std::vector<double> before; ///< gains up to the sweet spot
    std::vector<double> after;  ///< gains beyond it
};

/// Where a curve's phases are compared: from `first` to `last`.
struct Stretch {
    const Json& first;
    const Json& last;
    std::vector<PhaseChange> terms;

    static std::string cores(const Json& point) { return point.at("machine").at("cores").dump(); }
};

/// The phases that do not shrink; if each of them does, the one that lost most against ideal
/// scaling.
std::vector<PhaseChange> responsible_terms(const Json& first, const Json& last, double core_ratio)
{
    std::vector<PhaseChange> terms = phases_that_do_not_shrink(first, last);
    if (terms.empty()) {
        const auto lost = [&](const PhaseChange& change) {
            return change.seconds_last - change.seconds_first / core_ratio;
        };
        const std::vector<PhaseChange> all = phase_changes(first, last);
        const auto worst = std::max_element(
            all.begin(), all.end(),
            [&](const PhaseChange& a, const PhaseChange& b) { return lost(a) < lost(b); });
        if (worst != all.end()) {
            terms.push_back(*worst);
        }
    }
    return terms;
}

Stretch stretch_of(const Bend& bend, const Indices& fitting, const Json& points)
{
    const Json& first = points.at(bend_start(bend.sweet_spot, fitting, points));
    const Json& last = points.at(fitting.back());
    const double ratio = last.at("machine").at("cores").get<double>() /
                         first.at("machine").at("cores").get<double>();
    return {first, last, responsible_terms(first, last, ratio)};
}

/// "gather.combine (1.24 s -> 1.20 s, 62% of the epoch), ...": at most three phases.
std::string terms_in_words(const std::vector<PhaseChange>& terms)
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < terms.size() && i < 3; ++i) {
        const PhaseChange& term = terms[i];
        words.push_back(term.phase + " (" + seconds_in_words(term.seconds_first) + " -> " +
                        seconds_in_words(term.seconds_last) + ", " +
                        percent_in_words(term.share_of_last) + " of the last epoch)");
    }
    const std::size_t more = terms.size() - words.size();
    return join(words) + (more > 0 ? " and " + std::to_string(more) + " smaller" : "");
}

/// Which condition failed, in words; "" where all hold.
std::string failure_in_words(const Bend& bend)
{
    const std::string spot = std::to_string(bend.sweet_spot.cores) + " cores";
    if (bend.sweet_spot.at_edge == "low") {
        return "already the first step, from " + spot + ", gains only " + in_words(bend.after[0]) +
               ": the curve is past its sweet spot from the start";
    }
    if (bend.sweet_spot.at_edge == "high") {
        return "no step up to " + spot + " gains less than " + in_words(enough_gain) +
               ": the curve is not flat yet within this range";
    }
    std::vector<std::string> failed;
    if (!bend.linear()) {
        failed.push_back("up to " + spot + " the median gain is only " +
                         in_words(median(bend.before)) + ", not " + in_words(nearly_linear_gain));
    }
    if (!bend.flat()) {
        failed.push_back("beyond " + spot + " a step still gains " +
                         in_words(bend.largest_after()));
    }
    return join(failed, "; ");
}

std::string why(const Bend& bend, const Stretch& stretch)
{
    const std::string failure = failure_in_words(bend);
    const std::string verdict = !failure.empty()
                                    ? "With central values " + failure
                                    : "With central values time falls nearly linearly up to " +
                                          std::to_string(bend.sweet_spot.cores) +
                                          " cores (median gain " + in_words(median(bend.before)) +
                                          "); beyond, no step gains more than " +
                                          in_words(bend.largest_after());
    if (stretch.terms.empty()) {
        return verdict + ".";
    }
    return verdict + ". What shrinks least from " + Stretch::cores(stretch.first) + " to " +
           Stretch::cores(stretch.last) + " cores: " + terms_in_words(stretch.terms) + ".";
}

Json judge_linear_then_flat(const Json& hypothesis, const Json& series, const Json& points)
{
    const Indices fitting = fitting_of(series, points);
    const bool judged = series.contains("sweet_spot") && fitting.size() >= 3;
    const auto judge = [&](int draw) {
        return judged ? Bend(World(points, draw).curve(fitting)).verdict() : Verdict::nothing;
    };
    Json result = verdict_json(hypothesis, common_draws(fitting, points), judge);
    if (!judged) {
        result["figures"] = {{"why", "It takes a series over core counts with three points that "
                                     "fit into memory."}};
        return result;
    }
    const Bend bend(World(points, World::central).curve(fitting));
    const Stretch stretch = stretch_of(bend, fitting, points);
    Json& figures = result["figures"];
    figures = {{"gains", series.at("sweet_spot").at("gains")},
               {"sweet_spot_cores", bend.sweet_spot.cores},
               {"terms_responsible", Json::array()}};
    if (!bend.before.empty()) {
        figures["median_gain_up_to_sweet_spot"] = median(bend.before);
    }
    if (!bend.after.empty()) {
        figures["largest_gain_after_sweet_spot"] = bend.largest_after();
    }
    for (const PhaseChange& term : stretch.terms) {
        figures["terms_responsible"].push_back({{"phase", term.phase},
                                                {"seconds_first", term.seconds_first},
                                                {"seconds_last", term.seconds_last},
                                                {"share_of_last", term.share_of_last}});
    }
    figures["why"] = share_in_words(result) + why(bend, stretch);
    return result;
}

/// A value of a study's claim: a field, or the ratio of two.
class Fields {
public:
    explicit Fields(std::string expression) : expression_(std::move(expression))
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

const Json& series_named(const std::string& name, const Json& all_series)
{
    std::vector<std::string> names;
    for (const Json& series : all_series) {
        if (series.at("name") == name) {
            return series;
        }
        names.push_back(series.at("name").get<std::string>());
    }
    throw InputError("", "/hypotheses",
                     "no series '" + name + "'" + did_you_mean(name, names) +
                         " (there are: " + join(names) + ")");
}

/// One comparison: at a core count (0: of the series as a whole).
struct Comparison {
    std::int64_t cores = 0;
    double value = 0;
    double than = 0;
    bool holds = false;
};

class Judge {
public:
    Judge(const Json& hypothesis, const Json& all_series, const Json& points)
        : hypothesis_(hypothesis),
          points_(points),
          series_(series_named(hypothesis.at("series").get<std::string>(), all_series)),
          value_(hypothesis.at("value").get<std::string>()),
          is_(hypothesis.at("is").get<std::string>())
    {
        const Json& than = hypothesis.at("than");
        if (than.is_object()) {
            other_ = &series_named(than.at("series").get<std::string>(), all_series);
            other_value_ = Fields(than.at("value").get<std::string>());
            times_ = than.value("times", 1.0);
        }
    }

    std::vector<Comparison> comparisons(int draw) const
    {
        const World world(points_, draw);
        const auto of_series = [&](const std::string& path) { return world.number(series_, path); };
        if (const std::optional<double> value = value_.value(of_series)) {
            return compared(0, *value, than_at(world, 0));
        }
        std::vector<Comparison> all;
        for (const std::size_t index : where()) {
            const std::optional<double> value = at_point(world, series_, value_, index);
            if (!value) {
                throw InputError("", "/hypotheses",
                                 "no number '" + value_.expression() +
                                     "' in a point or its series");
            }
            const std::int64_t cores = cores_of(index);
            for (const Comparison& one : compared(cores, *value, than_at(world, cores))) {
                all.push_back(one);
            }
        }
        return all;
    }

    /// How many draws all points have that the claim speaks of.
    int draws() const
    {
        Indices involved = fitting_of(series_, points_);
        if (other_ != nullptr) {
            const Indices others = fitting_of(*other_, points_);
            involved.insert(involved.end(), others.begin(), others.end());
        }
        return common_draws(involved, points_);
    }

private:
    std::int64_t cores_of(std::size_t index) const
    {
        return points_.at(index).at("machine").at("cores").get<std::int64_t>();
    }

    std::vector<Comparison> compared(std::int64_t cores, double value,
                                     std::optional<double> than) const
    {
        return than ? std::vector<Comparison>{{cores, value, *than, compare(value, is_, *than)}}
                    : std::vector<Comparison>{};
    }

    std::optional<double> at_point(const World& world, const Json& series, const Fields& fields,
                                   std::size_t index) const
    {
        const std::size_t base = fitting_of(series, points_).front();
        return fields.value(
            [&](const std::string& path) { return world.number(index, path, base); });
    }

    /// The fitting points of the series that the claim speaks of.
    Indices where() const
    {
        const Json range = hypothesis_.value("where", Json::object());
        Indices chosen;
        for (const std::size_t index : fitting_of(series_, points_)) {
            const std::int64_t cores = cores_of(index);
            if (cores >= range.value("min_cores", cores) &&
                cores <= range.value("max_cores", cores)) {
                chosen.push_back(index);
            }
        }
        return chosen;
    }

    /// What is compared with, for the point with so many cores; none where the other series lacks
    /// it.
    std::optional<double> than_at(const World& world, std::int64_t cores) const
    {
        if (other_ == nullptr) {
            return hypothesis_.at("than").get<double>();
        }
        std::optional<double> value = other_value_.value(
            [&](const std::string& path) { return world.number(*other_, path); });
        for (const std::size_t index : fitting_of(*other_, points_)) {
            if (!value && cores_of(index) == cores) {
                value = at_point(world, *other_, other_value_, index);
            }
        }
        return value ? std::optional<double>(*value * times_) : std::nullopt;
    }

    const Json& hypothesis_;
    const Json& points_;
    const Json& series_;
    Fields value_;
    std::string is_;
    const Json* other_ = nullptr;
    Fields other_value_{""};
    double times_ = 1;
};

std::string comparison_in_words(const Comparison& comparison, const Json& hypothesis)
{
    return hypothesis.at("value").get<std::string>() + " is " + in_words(comparison.value) +
           (comparison.cores > 0 ? " at " + std::to_string(comparison.cores) +
                                       (comparison.cores == 1 ? " core" : " cores")
                                 : "") +
           (comparison.holds ? ", " : ", not ") + hypothesis.at("is").get<std::string>() + " " +
           in_words(comparison.than);
}

/// "With central values it fails at 2 of 5 points: epoch_seconds is ...; ..."
std::string points_in_words(const std::vector<Comparison>& comparisons, const Json& hypothesis)
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

/// For each comparison, in which share of the draws it is true by itself.
std::vector<double> shares_of_comparisons(const Judge& judge, std::size_t comparisons, int draws)
{
    std::vector<double> shares(comparisons, 0.0);
    for (int draw = 0; draw < draws; ++draw) {
        const std::vector<Comparison> drawn = judge.comparisons(draw);
        for (std::size_t i = 0; i < comparisons; ++i) {
            shares[i] += drawn[i].holds ? 1.0 / draws : 0.0;
        }
    }
    return shares;
}

Json judge_comparisons(const Json& hypothesis, const Json& all_series, const Json& points)
{
    const Judge judge(hypothesis, all_series, points);
    const std::vector<Comparison> comparisons = judge.comparisons(World::central);
    const auto holds = [](const Comparison& comparison) { return comparison.holds; };
    const int draws = judge.draws();
    Json result = verdict_json(hypothesis, draws, [&](int draw) {
        const std::vector<Comparison> all = judge.comparisons(draw);
        return all.empty()                                  ? Verdict::nothing
               : std::all_of(all.begin(), all.end(), holds) ? Verdict::held
                                                            : Verdict::refuted;
    });
    Json& figures = result["figures"];
    figures = {{"comparisons", Json::array()}, {"why", "There is no point to judge it by."}};
    if (comparisons.empty()) {
        return result;
    }
    const std::vector<double> shares = shares_of_comparisons(judge, comparisons.size(), draws);
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const Comparison& comparison = comparisons[i];
        Json figure{
            {"value", comparison.value}, {"than", comparison.than}, {"holds", comparison.holds}};
        if (comparison.cores > 0) {
            figure["cores"] = comparison.cores;
        }
        if (draws > 0) {
            figure["share"] = shares[i];
        }
        figures["comparisons"].push_back(figure);
    }
    figures["failing"] = std::count_if(comparisons.begin(), comparisons.end(),
                                       [&](const Comparison& one) { return !one.holds; });
    figures["why"] = share_in_words(result) + points_in_words(comparisons, hypothesis);
    return result;
}

} // namespace

Json judge_hypothesis(const Json& hypothesis, const Json& all_series, const Json& points)
{
    if (hypothesis.at("claim") == linear_then_flat) {
        const Json& series = series_named(hypothesis.at("series").get<std::string>(), all_series);
        return judge_linear_then_flat(hypothesis, series, points);
    }
    return judge_comparisons(hypothesis, all_series, points);
}

bool is_linear_then_flat(const std::vector<CoreTime>& curve)
{
    return curve.size() >= 3 && Bend(curve).verdict() == Verdict::held;
}

Json judge_all(const Json& study, const Json& all_series, const Json& points)
{
    Json results = Json::array();
    for (const Json& hypothesis : study.value("hypotheses", Json::array())) {
        results.push_back(judge_hypothesis(hypothesis, all_series, points));
    }
    return results;
}

} // namespace alxsim::report
