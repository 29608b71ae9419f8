// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text_table.h"
#include "experiments/calibrate/calibrate.h"

#include <cstdio>

namespace alxsim::experiments {
namespace {

using Cells = std::vector<std::string>;

std::string number(const char* format, const Json& value, double factor = 1)
{
    if (value.is_null()) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof text, format, factor * value.get<double>());
    return text;
}

std::string values_text(const Json& values)
{
    std::vector<Cells> table{{"fitted", "value", "before", "low", "high", "unit", ""}};
    for (const Json& value : values) {
        table.push_back({value.at("key"), number("%.4g", value.at("value")),
                         number("%.4g", value.at("central")), number("%.4g", value.at("low")),
                         number("%.4g", value.at("high")), value.at("unit"),
                         value.at("at") == "inside"
                             ? ""
                             : "at its " + value.at("at").get<std::string>() + " end"});
    }
    return text_table(table, {false, true, true, true, true, false, false});
}

std::string figures_text(const Json& figures)
{
    std::vector<Cells> table{{"point", "figure", "measured s", "model s", "error", "left out"}};
    for (const Json& figure : figures) {
        const auto phase = figure.at("phase").get<std::string>();
        table.push_back({figure.at("point"),
                         figure.at("at_most").get<bool>() ? "epoch, at most"
                                                          : (phase.empty() ? "epoch" : phase),
                         number("%.4g", figure.at("measured")),
                         number("%.4g", figure.at("estimated")),
                         number("%+.2f %%", figure.at("error"), 100),
                         number("%+.2f %%", figure.at("left_out_error"), 100)});
    }
    return text_table(table, {false, false, true, true, true, true});
}

std::string combination_text(const Json& combination)
{
    Cells words;
    for (const Json& value : combination.at("values")) {
        words.push_back(value.at("key").get<std::string>() +
                        number(" as f^%.2g", value.at("exponent")));
    }
    return "Not identifiable from these data: " + join(words) + " together move the figures by " +
           number("%.2g %%", combination.at("effect"), 100) + " over the whole band.\n";
}

} // namespace

std::string calibration_text(const Json& calibration)
{
    std::string text = values_text(calibration.at("values")) + "\n" +
                       figures_text(calibration.at("figures")) + "\n" +
                       number("Root mean square error %.3g %%", calibration.at("rms_error"), 100) +
                       ". Left out: what a fit to the other points predicts for this one.\n";
    for (const Json& key : calibration.at("without_influence")) {
        text += "No influence around its fitted value: " + key.get<std::string>() +
                "; others near it would do as well.\n";
    }
    for (const Json& combination : calibration.at("not_told_apart")) {
        text += combination_text(combination);
    }
    return text;
}

} // namespace alxsim::experiments
