// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"
#include "base/input_error.h"
#include "experiments/explain/explain.h"
#include "experiments/explain/terms.h"
#include "experiments/explain/text.h"
#include "experiments/explain/what_ifs.h"
#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::experiments {
namespace {

using report::in_words;
using report::percent_in_words;
using report::seconds_in_words;

std::string strings_joined(const Json& list)
{
    return join(list.get<std::vector<std::string>>());
}

/// "gather.rows (45%), solve (20%)": the longest, until nine tenths are told.
std::string parts_in_words(const Json& parts)
{
    std::vector<std::string> words;
    double told = 0;
    for (const Json& part : parts) {
        const double share = part.at("share").get<double>();
        if (told < 0.9 && words.size() < 5) {
            const std::string by =
                part.contains("by") ? ", set by " + join(part.at("by"), " and ") : "";
            words.push_back(part.at("name").get<std::string>() + " (" + percent_in_words(share) +
                            by + ")");
        }
        told += share;
    }
    return join(words);
}

std::string moment_in_words(const Json& moment)
{
    std::string text = "On " + cores_of(moment.at("cores")) + ", the " +
                       moment.at("what").get<std::string>() + " point, an epoch takes " +
                       seconds_of(moment.at("epoch_seconds"));
    if (moment.contains("epoch_seconds_low") && moment.contains("epoch_seconds_high")) {
        text += "; in 90 % of the draws of all uncertain inputs " +
                seconds_of(moment.at("epoch_seconds_low")) + " to " +
                seconds_of(moment.at("epoch_seconds_high"));
    }
    text += ". By phase: " + parts_in_words(moment.at("phases")) +
            ". By what it waited for: " + parts_in_words(moment.at("mechanisms")) + ".";
    for (const Json& batch : moment.value("padding", Json::array())) {
        text += " Of the slots in a batch of " + batch.at("of").get<std::string>() + ", " +
                percent_in_words(batch.at("share").get<double>()) +
                " are padding, which is worked on like data.";
    }
    if (moment.contains("most_uncertain")) {
        const Json& unknown = moment.at("most_uncertain");
        text += " The uncertain input that matters most is " +
                unknown.at("name").get<std::string>() +
                ": over its band alone, the longest epoch is " +
                in_words(unknown.at("swing").get<double>()) + " times the shortest.";
    }
    return paragraph(text, "  - ");
}

/// "at or below 16 cores", "at 64 cores".
std::string place_of(const Json& spot)
{
    const std::string edge = spot.value("at_edge", "");
    return std::string(edge == "low"    ? "at or below "
                       : edge == "high" ? "at or beyond "
                                        : "at ") +
           cores_of(spot.at("cores"));
}

std::string sweet_spot_in_words(const Json& spot)
{
    const Json* failed = nullptr;
    double least = 1e300;
    for (const Json& gain : spot.at("gains")) {
        const double value = gain.at("gain").get<double>();
        if (failed == nullptr && value < report::enough_gain) {
            failed = &gain;
        }
        least = failed == nullptr ? std::min(least, value) : least;
    }
    std::string text = "The sweet spot lies " + place_of(spot) + ": ";
    if (failed != &spot.at("gains").at(0)) {
        text += "every step up to there brings at least " + in_words(least) + " of its ideal gain" +
                (failed == nullptr ? "" : "; ");
    }
    if (failed != nullptr) {
        text += "the step from " + std::to_string((*failed).at("from").get<std::int64_t>()) +
                " to " + cores_of((*failed).at("to")) + " brings " +
                in_words((*failed).at("gain").get<double>()) +
                " of its ideal gain; half is required";
    }
    return paragraph(text + ".");
}

std::string fit_in_words(const Json& fit)
{
    const std::string text = "T(N) = " + terms_of_fit(fit);
    return fit.at("spare_points") == 0
               ? text + " (through all its points: a description, no evidence)"
               : text + " (r2 " + in_words(fit.at("r2").get<double>()) + ", worst point off by " +
                     percent_in_words(fit.at("largest_residual").get<double>()) + ")";
}

std::string wrap_in_words(const Json& wrap)
{
    std::vector<std::string> axes;
    for (std::size_t i = 0; i < wrap.size(); ++i) {
        if (wrap.at(i).get<bool>()) {
            axes.emplace_back(1, "xyz"[i]);
        }
    }
    return axes.empty()                 ? "no axis wraps"
           : axes.size() == wrap.size() ? "all axes wrap"
                                        : "only " + join(axes, " and ") + " wraps";
}

std::string fits_in_words(const Json& series)
{
    if (!series.contains("fit")) {
        return "";
    }
    std::string text =
        paragraph("Over all its points, on N cores: " + fit_in_words(series.at("fit")) + ".");
    const Json regimes = series.value("regimes", Json::array());
    for (std::size_t i = 0; regimes.size() > 1 && i < regimes.size(); ++i) {
        const Json& cores = regimes.at(i).at("cores");
        const std::string range = cores.size() == 1
                                      ? cores_of(cores.at(0))
                                      : cores.at(0).dump() + " to " + cores_of(cores.back());
        text += paragraph("Where " + wrap_in_words(regimes.at(i).at("wrap")) + ", " + range + ": " +
                              (regimes.at(i).contains("fit") ? fit_in_words(regimes.at(i).at("fit"))
                                                             : "too few points for a fit") +
                              ".",
                          "  - ");
    }
    return text;
}

/// "23% less on 2048 cores (5270 s)"; where the last point stays, what it does at fewer cores.
std::string change_in_words(const Json& outcome, const Json& base)
{
    const std::string last = cores_of(base.at("cores").back());
    const double change = outcome.at("ratio_of_last").get<double>() - 1;
    if (std::abs(change) >= least_influence) {
        return percent_in_words(std::abs(change)) + (change < 0 ? " less" : " more") + " on " +
               last + " (" + seconds_of(outcome.at("seconds").back()) + ")";
    }
    double most = 0;
    for (std::size_t i = 0; i < base.at("cores").size(); ++i) {
        const Json& seconds = outcome.at("seconds").at(i);
        most = seconds.is_null() ? most
                                 : std::max(most, 1 - seconds.get<double>() /
                                                          base.at("seconds").at(i).get<double>());
    }
    return "nothing on " + last + ", up to " + percent_in_words(most) + " less on fewer";
}

/// The core counts where there is no changed job, and why.
std::string obstacles_in_words(const Json& outcome, const Json& base)
{
    const std::pair<const char*, const char*> obstacles[] = {
        {"does_not_fit", "does not fit"}, {"refused", "does not go with the other choices"}};
    std::vector<std::string> words;
    for (const auto& [key, what] : obstacles) {
        std::vector<std::string> cores;
        for (const Json& count : outcome.value(key, Json::array())) {
            cores.push_back(count.dump());
        }
        if (!cores.empty()) {
            words.push_back(what + (cores.size() == base.at("cores").size()
                                        ? std::string(" at any point")
                                        : " on " + join(cores) + " cores"));
        }
    }
    return join(words, "; ");
}

std::string outcome_in_words(const Json& outcome, const Json& base)
{
    std::vector<std::string> told;
    if (outcome.contains("ratio_of_last")) {
        told.push_back(change_in_words(outcome, base));
    }
    if (outcome.contains("ratio_in_worlds")) {
        const Json& band = outcome.at("ratio_in_worlds");
        told.push_back("in 90 % of the draws that agree " +
                       report::in_words(band.at("low").get<double>()) + " to " +
                       report::in_words(band.at("high").get<double>()) + " times the time");
    }
    const std::string obstacles = obstacles_in_words(outcome, base);
    if (!obstacles.empty()) {
        told.push_back(obstacles);
    }
    std::string text = outcome.at("name").get<std::string>() + ": " + join(told, "; ");
    if (outcome.at("sweet_spot").is_null()) {
        return paragraph(text + ".", "  - ");
    }
    text += outcome.at("sweet_spot") == base.at("sweet_spot")
                ? "; the sweet spot stays."
                : "; the sweet spot is then " + place_of(outcome.at("sweet_spot")) + ".";
    return paragraph(text, "  - ");
}

/// Why the job that was built again takes another time than the report has.
std::string reason_in_words(const Json& series)
{
    if (series.at("fidelity") != "analytic") {
        return ", simulated in SystemC, where messages and cores wait for each other in ways that "
               "the model only estimates";
    }
    return series.at("numerics").get<bool>()
               ? "; there the solver iterated as often as the data needed, here as often as is "
                 "assumed"
               : "; it was made by another version of this program, or of other data";
}

std::string what_ifs_in_words(const Json& series)
{
    const Json& what_ifs = series.at("what_ifs");
    const double model = what_ifs.at("seconds").back().get<double>();
    const double told = series.at("moments").back().at("epoch_seconds").get<double>();
    std::string text = paragraph(
        "What would move the sweet spot. By the analytic model" +
        (std::abs(model / told - 1) < least_influence
             ? ""
             : ", which puts the last point at " + seconds_in_words(model) +
                   " (the report: " + seconds_in_words(told) + reason_in_words(series) + ")") +
        ", it lies " + place_of(what_ifs.at("sweet_spot")) + "; with");
    bool moves = false;
    for (const Json& outcome : what_ifs.at("ranked")) {
        text += outcome_in_words(outcome, what_ifs);
        moves = moves || outcome.at("sweet_spot") != what_ifs.at("sweet_spot");
    }
    if (!moves) {
        text += paragraph("None of them moves the sweet spot.");
    }
    if (!what_ifs.at("without_influence").empty()) {
        text += paragraph("These change nothing (less than " + percent_in_words(least_influence) +
                          " at every point): " + strings_joined(what_ifs.at("without_influence")) +
                          ".");
    }
    return text;
}

std::string series_in_words(const Json& series)
{
    if (series.at("moments").empty()) {
        return paragraph("No point of this series has a result.");
    }
    std::string text = "Where the time goes:\n";
    for (const Json& moment : series.at("moments")) {
        text += moment_in_words(moment);
    }
    if (!series.contains("sweet_spot")) {
        return text + paragraph("This series does not compare core counts: it has no sweet spot.");
    }
    text += sweet_spot_in_words(series.at("sweet_spot")) + fits_in_words(series) +
            terms_in_words(series);
    if (series.contains("not_rebuilt")) {
        return text + paragraph("The report's study cannot be built again (" +
                                series.at("not_rebuilt").get<std::string>() +
                                "), so that work is not counted and no what-if is tried.");
    }
    return text + what_ifs_in_words(series);
}

} // namespace

std::string in_plain_words(const Json& explanation)
{
    std::string text;
    for (const Json& series : explanation.at("series")) {
        std::string title = series.at("name").get<std::string>();
        if (series.contains("chip")) {
            title += " (" + series.at("chip").get<std::string>() + ", " +
                     series.at("fidelity").get<std::string>() + ")";
        }
        text += (text.empty() ? "" : "\n") + title + "\n" + std::string(title.size(), '=') + "\n" +
                series_in_words(series);
        for (const Json& note : series.value("notes", Json::array())) {
            text += paragraph("Note: " + note.get<std::string>() + ".");
        }
    }
    return text;
}

} // namespace alxsim::experiments
