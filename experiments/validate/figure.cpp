// SPDX-License-Identifier: Apache-2.0
#include "experiments/validate/figure.h"

#include "base/input_error.h"
#include "experiments/op_timing.h"
#include "experiments/point.h"
#include "experiments/study.h"
#include "experiments/uncertainty/uncertainty.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace alxsim::experiments {
namespace {

constexpr int most_cores = 2048; ///< of the largest slice that the published curves have

std::string words(const char* format, double a, double b, double c)
{
    char text[128];
    std::snprintf(text, sizeof text, format, a, b, c);
    return text;
}

Json op_result(const Json& simulate, const std::string& file)
{
    return time_op(simulate.at("op"), file, machine_for_op(simulate.at("machine"), file),
                   sim::HbmModel::rates);
}

/// The same op with `less` or `over` merged on top: what a figure is a difference or a ratio to.
double other_seconds(const Json& simulate, const char* which, const std::string& file)
{
    Json other = simulate;
    other.merge_patch(simulate.at(which));
    return op_result(other, file).at("simulated_seconds");
}

Figure op_figure(const Json& simulate, const std::string& file)
{
    const Json result = op_result(simulate, file);
    const std::string term =
        result.at("limited_by").get<std::string>() + ": " + result.at("why").get<std::string>();
    if (simulate.at("figure") == "cycles") {
        return {result.at("cycles").get<double>(), term};
    }
    double seconds = result.at("simulated_seconds");
    if (simulate.contains("less")) {
        seconds -= other_seconds(simulate, "less", file);
    }
    if (simulate.contains("over")) {
        return {seconds / other_seconds(simulate, "over", file), term};
    }
    return {simulate.at("figure") == "rate" ? simulate.at("amount").get<double>() / seconds
                                            : seconds,
            term};
}

/// The phase with most seconds and what held the epoch up.
std::string term_of(const Json& point)
{
    const double epoch = point.at("epoch_seconds");
    std::string longest;
    double most = 0;
    for (const auto& [phase, seconds] : point.at("phases").items()) {
        if (seconds.get<double>() > most) {
            most = seconds;
            longest = phase;
        }
    }
    std::string text = longest + words(" takes %.4g of the epoch's %.4g s (%.0f %%);", most, epoch,
                                       100 * most / epoch);
    for (const char* share : {"compute", "hbm", "communication", "host", "idle"}) {
        text += std::string(text.back() == ';' ? " " : ", ") + share +
                words(" %.4g s", point.at(std::string(share) + "_seconds"), 0, 0);
    }
    return text;
}

std::string memory_term(const Json& point)
{
    return words("needs %.4g bytes a core, of %.4g", point.at("memory").at("bytes_per_core"),
                 point.at("memory").at("capacity_bytes"), 0);
}

Json preview(const Json& document, const std::string& file)
{
    Study study{document, file};
    set_values(study, Json::object()); // checks it
    return preview_point(study.document, file).point;
}

Figure smallest_cores(Json study, const std::string& file)
{
    std::string term;
    for (int cores = 1; cores <= most_cores; cores *= 2) {
        study["machine"]["cores"] = cores;
        const Json point = preview(study, file);
        term +=
            (term.empty() ? "on " : "; on ") + std::to_string(cores) + " it " + memory_term(point);
        if (point.at("fits").get<bool>()) {
            return {static_cast<double>(cores), term};
        }
    }
    return {std::numeric_limits<double>::infinity(), term};
}

/// Of a band: its low end, its median, or the value between its ends that is nearest to
/// `reference`, itself if the band holds it. The term says where in the draws the reference lies.
Figure figure_of_band(const Json& study, const std::string& figure, double reference,
                      const std::string& file)
{
    const EpochBand band = epoch_band(study, file);
    std::vector<double> seconds;
    for (const model::Breakdown& draw : band.draws) {
        seconds.push_back(to_seconds(draw.total).count());
    }
    const auto below =
        std::count_if(seconds.begin(), seconds.end(), [&](double one) { return one < reference; });
    std::string term =
        words("%.3g %% of the draws lie below the reference; the band is %.4g to "
              "%.4g s",
              100.0 * static_cast<double>(below) / static_cast<double>(seconds.size()), band.low,
              band.high);
    if (!band.ranking.empty()) {
        const Influence& first = band.ranking.front();
        term += ", and what matters most is " + first.unknown.name +
                words(": %.4g s at its low value, %.4g s at its high one", first.seconds_low,
                      first.seconds_high, 0);
    }
    const double value = figure == "low_of_band"      ? band.low
                         : figure == "median_of_band" ? model::quantile_of(seconds, 0.5)
                                                      : std::clamp(reference, band.low, band.high);
    return {value, term};
}

Figure study_figure(const Json& simulate, double reference, const std::string& file)
{
    const Json& figure = simulate.at("figure");
    if (figure == "smallest_cores") {
        return smallest_cores(simulate.at("study"), file);
    }
    if (figure == "nearest_in_band" || figure == "low_of_band" || figure == "median_of_band") {
        return figure_of_band(simulate.at("study"), figure, reference, file);
    }
    const Json point = preview(simulate.at("study"), file);
    if (!point.at("fits").get<bool>()) {
        return {std::numeric_limits<double>::infinity(), "does not fit: " + memory_term(point)};
    }
    return {simulate.value("times", 1.0) * point.at("epoch_seconds").get<double>(), term_of(point)};
}

} // namespace

Figure simulated_figure(const Json& simulate, double reference, const std::string& file)
{
    return simulate.contains("op") ? op_figure(simulate, file)
                                   : study_figure(simulate, reference, file);
}

} // namespace alxsim::experiments
