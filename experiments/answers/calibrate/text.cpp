// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text_table.h"
#include "experiments/answers/calibrate/calibrate.h"

#include <cstdio>

namespace alxsim::experiments {
namespace {

using Cells = std::vector<std::string>;

std::string number(const char* format, std::optional<double> value, double factor = 1)
{
    if (!value) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof text, format, factor * *value);
    return text;
}

std::string values_text(const std::vector<Fitted>& values)
{
    std::vector<Cells> table{{"fitted", "value", "before", "low", "high", "unit", ""}};
    for (const Fitted& value : values) {
        table.push_back({value.key, number("%.4g", value.value), number("%.4g", value.central),
                         number("%.4g", value.low), number("%.4g", value.high), value.unit,
                         value.at == "inside" ? "" : "at its " + value.at + " end"});
    }
    return text_table(table, {false, true, true, true, true, false, false});
}

std::string figures_text(const std::vector<FittedFigure>& figures, const std::string& interval)
{
    std::vector<Cells> table{{"point", "figure", "measured s", "model s", "error", "left out"}};
    for (const FittedFigure& figure : figures) {
        const std::string whole = figure.at_most ? interval + ", at most" : interval;
        table.push_back({figure.point, figure.phase.empty() ? whole : figure.phase,
                         number("%.4g", figure.measured), number("%.4g", figure.estimated),
                         number("%+.2f %%", figure.error, 100),
                         number("%+.2f %%", figure.left_out_error, 100)});
    }
    return text_table(table, {false, false, true, true, true, true});
}

std::string combination_text(const Combination& combination)
{
    Cells words;
    for (const MovingValue& value : combination.values) {
        words.push_back(value.key + number(" as f^%.2g", value.exponent));
    }
    return "Not identifiable from these data: " + join(words) + " together move the figures by " +
           number("%.2g %%", combination.effect, 100) + " over the whole band.\n";
}

} // namespace

std::string calibration_text(const Calibration& calibration)
{
    std::string text = values_text(calibration.values) + "\n" +
                       figures_text(calibration.figures, calibration.interval.one) + "\n" +
                       number("Root mean square error %.3g %%", calibration.rms_error, 100) +
                       ". Left out: what a fit to the other points predicts for this one.\n";
    for (const std::string& key : calibration.without_influence) {
        text +=
            "No influence around its fitted value: " + key + "; others near it would do as well.\n";
    }
    for (const Combination& combination : calibration.not_told_apart) {
        text += combination_text(combination);
    }
    return text;
}

} // namespace alxsim::experiments
