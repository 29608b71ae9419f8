// SPDX-License-Identifier: Apache-2.0
#include "report/linear_then_flat.h"

#include "base/input_error.h"
#include "report/series_fields.h"
#include "report/verdict.h"
#include "report/words.h"
#include "report/worlds.h"

#include <algorithm>
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
    const Point& first;
    const Point& last;
    std::vector<PhaseChange> terms;

    static std::string cores(const Point& point) { return std::to_string(point.machine.cores); }
};

/// The phases that do not shrink; if each of them does, the one that lost most against ideal
/// scaling.
std::vector<PhaseChange> responsible_terms(const Point& first, const Point& last, double core_ratio)
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

Stretch stretch_of(const Bend& bend, const Indices& fitting, const std::vector<Point>& points)
{
    const Point& first = points.at(bend_start(bend.sweet_spot, fitting, points));
    const Point& last = points.at(fitting.back());
    const double ratio =
        static_cast<double>(last.machine.cores) / static_cast<double>(first.machine.cores);
    return {first, last, responsible_terms(first, last, ratio)};
}

/// "gather.combine (1.24 s -> 1.20 s, 62% of the interval), ...": at most three phases.
std::string terms_in_words(const std::vector<PhaseChange>& terms, const std::string& interval)
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < terms.size() && i < 3; ++i) {
        const PhaseChange& term = terms[i];
        words.push_back(term.phase + " (" + seconds_in_words(term.seconds_first) + " -> " +
                        seconds_in_words(term.seconds_last) + ", " +
                        percent_in_words(term.share_of_last) + " of the last " + interval + ")");
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
           Stretch::cores(stretch.last) +
           " cores: " + terms_in_words(stretch.terms, interval_words(*stretch.last.result).one) +
           ".";
}

/// What the verdict rests on.
struct BendFigures {
    std::vector<Gain> gains;
    std::int64_t sweet_spot_cores = 0;
    std::vector<PhaseChange> terms_responsible;
    std::optional<double> median_gain_up_to_sweet_spot;
    std::optional<double> largest_gain_after_sweet_spot;
    std::string why;
};

template <class Fields>
void list_fields(Fields& fields, BendFigures& figures)
{
    fields("gains", figures.gains);
    fields("sweet_spot_cores", figures.sweet_spot_cores);
    fields("terms_responsible", figures.terms_responsible);
    fields("median_gain_up_to_sweet_spot", figures.median_gain_up_to_sweet_spot);
    fields("largest_gain_after_sweet_spot", figures.largest_gain_after_sweet_spot);
    fields("why", figures.why);
}

} // namespace

Judgement judge_linear_then_flat(const Hypothesis& hypothesis, const Series& series,
                                 const std::vector<Point>& points)
{
    const Indices fitting = fitting_points(series.points, points);
    const bool judged = series.sweet_spot && fitting.size() >= 3;
    const auto judge = [&](int draw) {
        return judged ? Bend(World(points, draw).curve(fitting)).verdict() : Verdict::nothing;
    };
    Judgement result = judgement_of(hypothesis, common_draws(fitting, points), judge);
    if (!judged) {
        result.figures = {{"why", "It takes a series over core counts with three points that "
                                  "fit into memory."}};
        return result;
    }
    const Bend bend(World(points, World::central).curve(fitting));
    const Stretch stretch = stretch_of(bend, fitting, points);
    BendFigures figures{bend.sweet_spot.gains,
                        bend.sweet_spot.cores,
                        stretch.terms,
                        {},
                        {},
                        share_in_words(result) + why(bend, stretch)};
    if (!bend.before.empty()) {
        figures.median_gain_up_to_sweet_spot = median(bend.before);
    }
    if (!bend.after.empty()) {
        figures.largest_gain_after_sweet_spot = bend.largest_after();
    }
    result.figures = json_of(figures);
    return result;
}

bool is_linear_then_flat(const std::vector<CoreTime>& curve)
{
    return curve.size() >= 3 && Bend(curve).verdict() == Verdict::held;
}

} // namespace alxsim::report
