// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include "base/input_error.h"
#include "report/series.h"
#include "report/words.h"

#include <algorithm>

namespace alxsim::report {
namespace {

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A curve as the verdict sees it.
struct Bend {
    SweetSpot sweet_spot;
    std::vector<double> before; ///< gains up to the sweet spot
    std::vector<double> after;  ///< gains beyond it
    std::int64_t cores_first;   ///< from here to cores_last the phases are compared
    std::int64_t cores_last;
    std::vector<PhaseChange> terms;

    bool inside() const { return sweet_spot.at_edge.empty(); }
    bool linear() const { return !before.empty() && median(before) >= nearly_linear_gain; }
    double largest_after() const { return *std::max_element(after.begin(), after.end()); }
    bool flat() const { return !after.empty() && largest_after() < enough_gain; }
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

Bend find_bend(const std::vector<std::size_t>& fitting, const Json& points)
{
    const std::vector<CoreTime> curve = curve_of(fitting, points);
    Bend bend{sweet_spot_of(curve), {}, {}, 0, curve.back().cores, {}};
    for (const Gain& gain : bend.sweet_spot.gains) {
        (gain.to <= bend.sweet_spot.cores ? bend.before : bend.after).push_back(gain.gain);
    }
    const Json& first = points.at(bend_start(bend.sweet_spot, fitting, points));
    bend.cores_first = first.at("machine").at("cores").get<std::int64_t>();
    const double ratio =
        static_cast<double>(bend.cores_last) / static_cast<double>(bend.cores_first);
    bend.terms = responsible_terms(first, points.at(fitting.back()), ratio);
    return bend;
}

/// "gather.combine (1.24 s -> 1.20 s, 62% of the epoch), ...": at most three phases.
std::string terms_in_words(const Bend& bend)
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < bend.terms.size() && i < 3; ++i) {
        const PhaseChange& term = bend.terms[i];
        words.push_back(term.phase + " (" + seconds_in_words(term.seconds_first) + " -> " +
                        seconds_in_words(term.seconds_last) + ", " +
                        percent_in_words(term.share_of_last) + " of the last epoch)");
    }
    const std::size_t more = bend.terms.size() - words.size();
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
               ": the curve does not flatten within this range";
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

std::string why(const Bend& bend)
{
    const std::string failure = failure_in_words(bend);
    const std::string verdict = !failure.empty()
                                    ? "Refuted: " + failure
                                    : "Up to " + std::to_string(bend.sweet_spot.cores) +
                                          " cores time falls nearly linearly (median gain " +
                                          in_words(median(bend.before)) +
                                          "); beyond, no step gains more than " +
                                          in_words(bend.largest_after());
    if (bend.terms.empty()) {
        return verdict + ".";
    }
    return verdict + ". What shrinks least from " + std::to_string(bend.cores_first) + " to " +
           std::to_string(bend.cores_last) + " cores: " + terms_in_words(bend) + ".";
}

/// A value of a study's claim: found in `object`, which names what it is (for messages).
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

    /// The value, or none where the object lacks one of the fields.
    std::optional<double> of(const Json& object) const
    {
        std::vector<double> values;
        for (const std::string& path : paths_) {
            const Json* found = find(object, path);
            if (found == nullptr || !found->is_number()) {
                return std::nullopt;
            }
            values.push_back(found->get<double>());
        }
        return values.size() == 1 ? values[0] : values[0] / values[1];
    }

private:
    /// "phases.gather.ids": keys may have dots of their own, so the longest key that exists counts.
    static const Json* find(const Json& object, const std::string& path)
    {
        if (object.is_object() && object.contains(path)) {
            return &object.at(path);
        }
        for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0;
             dot = path.rfind('.', dot - 1)) {
            const std::string key = path.substr(0, dot);
            if (object.is_object() && object.contains(key)) {
                return find(object.at(key), path.substr(dot + 1));
            }
        }
        return nullptr;
    }

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
    std::int64_t cores;
    double value;
    double than;
};

class Judge {
public:
    Judge(const Json& hypothesis, const Json& all_series, const Json& points)
        : hypothesis_(hypothesis),
          all_series_(all_series),
          points_(points)
    {
    }

    std::vector<Comparison> comparisons() const
    {
        const Json& series = series_named(hypothesis_.at("series").get<std::string>(), all_series_);
        const Fields fields(hypothesis_.at("value").get<std::string>());
        if (const std::optional<double> value = fields.of(series)) {
            const std::optional<double> than = than_at(0);
            return than ? std::vector<Comparison>{{0, *value, *than}} : std::vector<Comparison>{};
        }
        std::vector<Comparison> all;
        for (const std::size_t index : where(series)) {
            const Json& point = points_.at(index);
            const std::optional<double> value = fields.of(point);
            const std::int64_t cores = point.at("machine").at("cores").get<std::int64_t>();
            const std::optional<double> than = than_at(cores);
            if (!value) {
                throw InputError("", "/hypotheses",
                                 "no number '" + fields.expression() +
                                     "' in a point or its series");
            }
            if (than) {
                all.push_back({cores, *value, *than});
            }
        }
        return all;
    }

private:
    /// The fitting points of a series that the claim speaks of.
    std::vector<std::size_t> where(const Json& series) const
    {
        const Json range = hypothesis_.value("where", Json::object());
        std::vector<std::size_t> chosen;
        for (const std::size_t index : fitting(series)) {
            const std::int64_t cores =
                points_.at(index).at("machine").at("cores").get<std::int64_t>();
            if (cores >= range.value("min_cores", cores) &&
                cores <= range.value("max_cores", cores)) {
                chosen.push_back(index);
            }
        }
        return chosen;
    }

    std::vector<std::size_t> fitting(const Json& series) const
    {
        return fitting_points(series.at("points").get<std::vector<std::size_t>>(), points_);
    }

    /// What is compared with, for the point with so many cores; none where the other series lacks
    /// it.
    std::optional<double> than_at(std::int64_t cores) const
    {
        const Json& than = hypothesis_.at("than");
        if (than.is_number()) {
            return than.get<double>();
        }
        const Json& series = series_named(than.at("series").get<std::string>(), all_series_);
        const Fields fields(than.at("value").get<std::string>());
        std::optional<double> value = fields.of(series);
        for (const std::size_t index : fitting(series)) {
            if (!value && points_.at(index).at("machine").at("cores") == cores) {
                value = fields.of(points_.at(index));
            }
        }
        return value ? std::optional<double>(*value * than.value("times", 1.0)) : std::nullopt;
    }

    const Json& hypothesis_;
    const Json& all_series_;
    const Json& points_;
};

std::string comparison_in_words(const Comparison& comparison, const Json& hypothesis, bool holds)
{
    return hypothesis.at("value").get<std::string>() + " is " + in_words(comparison.value) +
           (comparison.cores > 0 ? " at " + std::to_string(comparison.cores) + " cores" : "") +
           (holds ? ", " : ", not ") + hypothesis.at("is").get<std::string>() + " " +
           in_words(comparison.than);
}

} // namespace

std::optional<Json> judge_linear_then_flat(const Json& series, const Json& points)
{
    const std::vector<std::size_t> fitting =
        fitting_points(series.at("points").get<std::vector<std::size_t>>(), points);
    if (!series.contains("sweet_spot") || fitting.size() < 3) {
        return std::nullopt;
    }
    const Bend bend = find_bend(fitting, points);
    Json figures{{"gains", series.at("sweet_spot").at("gains")},
                 {"sweet_spot_cores", bend.sweet_spot.cores}};
    if (!bend.before.empty()) {
        figures["median_gain_up_to_sweet_spot"] = median(bend.before);
    }
    if (!bend.after.empty()) {
        figures["largest_gain_after_sweet_spot"] = bend.largest_after();
    }
    figures["terms_responsible"] = Json::array();
    for (const PhaseChange& term : bend.terms) {
        figures["terms_responsible"].push_back({{"phase", term.phase},
                                                {"seconds_first", term.seconds_first},
                                                {"seconds_last", term.seconds_last},
                                                {"share_of_last", term.share_of_last}});
    }
    figures["why"] = why(bend);
    return Json{{"name", series.at("name").get<std::string>() + ": linear, then flat"},
                {"claim", "Epoch time falls nearly linearly up to a sweet spot, then flattens."},
                {"holds", bend.inside() && bend.linear() && bend.flat()},
                {"figures", figures}};
}

Json judge_hypothesis(const Json& hypothesis, const Json& all_series, const Json& points)
{
    const std::string is = hypothesis.at("is").get<std::string>();
    const std::vector<Comparison> comparisons = Judge(hypothesis, all_series, points).comparisons();
    Json result{{"name", hypothesis.at("name")},
                {"claim", hypothesis.at("claim")},
                {"holds", nullptr},
                {"figures", {{"comparisons", Json::array()}}}};
    if (comparisons.empty()) {
        result["figures"]["why"] = "There is no point to judge it by.";
        return result;
    }
    const Comparison* telling = nullptr; // the first that fails, else the last
    bool holds = true;
    for (const Comparison& comparison : comparisons) {
        Json figure{{"value", comparison.value}, {"than", comparison.than}};
        if (comparison.cores > 0) {
            figure["cores"] = comparison.cores;
        }
        result["figures"]["comparisons"].push_back(figure);
        telling = holds ? &comparison : telling;
        holds = holds && compare(comparison.value, is, comparison.than);
    }
    result["holds"] = holds;
    result["figures"]["why"] =
        (holds ? "Held: " : "Refuted: ") + comparison_in_words(*telling, hypothesis, holds) + ".";
    return result;
}

Json judge_all(const Json& study, const Json& all_series, const Json& points)
{
    Json results = Json::array();
    for (const Json& hypothesis : study.value("hypotheses", Json::array())) {
        results.push_back(judge_hypothesis(hypothesis, all_series, points));
    }
    for (const Json& series : all_series) {
        if (const std::optional<Json> result = judge_linear_then_flat(series, points)) {
            results.push_back(*result);
        }
    }
    return results;
}

} // namespace alxsim::report
