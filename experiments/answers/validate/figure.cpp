// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/validate/figure.h"

#include "base/input_error.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/point.h"
#include "experiments/points/uncertainty/uncertainty.h"

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

/// Which fields a figure needs beside itself: more than the schema says.
std::vector<std::string> needed_for(const std::string& figure)
{
    if (figure == "rate") {
        return {"op", "machine", "amount"};
    }
    if (figure == "ratio") {
        return {"op", "machine", "over"};
    }
    return figure == "seconds" || figure == "cycles" ? std::vector<std::string>{"op", "machine"}
                                                     : std::vector<std::string>{"study"};
}

/// The op with `less` or `over` merged on top.
std::optional<OpOnMachine> other_op(Json simulate, const char* which, const std::string& file,
                                    const std::string& place)
{
    if (!simulate.contains(which)) {
        return std::nullopt;
    }
    simulate.merge_patch(Json(simulate.at(which)));
    return value_of_file<OpOnMachine>(simulate, file, place + "/" + which);
}

OpTime time_of(const OpOnMachine& op, const std::string& file)
{
    return time_op(op.op, file, machine_for_op(op.machine, file), sim::HbmModel::rates);
}

Figure op_figure(const FigureRequest& request, const std::string& file)
{
    const OpTime time = time_of(*request.op, file);
    const std::string term = time.limited_by + ": " + time.why;
    if (request.figure == "cycles") {
        return {static_cast<double>(time.cycles.value()), term};
    }
    double seconds = time.simulated_seconds;
    if (request.less) {
        seconds -= time_of(*request.less, file).simulated_seconds;
    }
    if (request.over) {
        return {seconds / time_of(*request.over, file).simulated_seconds, term};
    }
    return {request.figure == "rate" ? *request.amount / seconds : seconds, term};
}

/// The phase with most seconds and what held the interval up.
std::string term_of(const report::Result& result)
{
    std::string longest;
    double most = 0;
    const report::Breakdown& all = result.epoch;
    for (const auto& [phase, seconds] : all.phases) {
        if (seconds > most) {
            most = seconds;
            longest = phase;
        }
    }
    std::string text = longest + words(" takes %.4g of the ", most, 0, 0) +
                       report::interval_words(result).one +
                       words("'s %.4g s (%.0f %%);", all.seconds, 100 * most / all.seconds, 0);
    for (const Share share : all_shares) {
        text += std::string(text.back() == ';' ? " " : ", ") + name_of(share) +
                words(" %.4g s", all.share(share), 0, 0);
    }
    return text;
}

std::string memory_term(const report::PointMemory& memory)
{
    return words("needs %.4g bytes a core, of %.4g", static_cast<double>(memory.needed_bytes()),
                 static_cast<double>(memory.capacity_bytes), 0);
}

Figure smallest_cores(const PointStudy& study)
{
    std::string term;
    for (int cores = 1; cores <= most_cores; cores *= 2) {
        const report::Point point =
            preview_point(changed(study, {{"/machine/cores", cores}})).point;
        term += (term.empty() ? "on " : "; on ") + std::to_string(cores) + " it " +
                memory_term(*point.memory);
        if (point.fits) {
            return {static_cast<double>(cores), term};
        }
    }
    return {std::numeric_limits<double>::infinity(), term};
}

/// Returns, of a band, its low end, its median, or the value between its ends that is nearest to
/// `reference`, itself if the band holds it. The term says where in the draws the reference lies.
Figure figure_of_band(const PointStudy& study, const std::string& figure, double reference)
{
    const EpochBand band = epoch_band(study);
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

Figure study_figure(const FigureRequest& request, double reference, const std::string& file)
{
    const std::string& figure = request.figure;
    const PointStudy study = point_study(*request.study, file);
    if (figure == "smallest_cores") {
        return smallest_cores(study);
    }
    if (figure == "nearest_in_band" || figure == "low_of_band" || figure == "median_of_band") {
        return figure_of_band(study, figure, reference);
    }
    const report::Point point = preview_point(study).point;
    if (!point.fits) {
        return {std::numeric_limits<double>::infinity(),
                "does not fit: " + memory_term(*point.memory)};
    }
    return {request.times * point.seconds(), term_of(*point.result)};
}

} // namespace

FigureRequest figure_request(const Json& simulate, const std::string& file,
                             const std::string& place)
{
    const auto figure = simulate.at("figure").get<std::string>();
    for (const std::string& field : needed_for(figure)) {
        if (!simulate.contains(field)) {
            throw InputError(file, place,
                             "missing field '" + field + "', which the figure '" + figure +
                                 "' needs");
        }
    }
    auto request = value_of_file<FigureRequest>(simulate, file, place);
    request.less = other_op(simulate, "less", file, place);
    request.over = other_op(simulate, "over", file, place);
    return request;
}

Figure simulated_figure(const FigureRequest& request, double reference, const std::string& file)
{
    return request.op ? op_figure(request, file) : study_figure(request, reference, file);
}

} // namespace alxsim::experiments
