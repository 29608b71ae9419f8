// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/calibrate/calibrate.h"

namespace alxsim::experiments {
namespace {

void tell_values(Document& document, const std::vector<Fitted>& values)
{
    std::vector<TableRow> rows;
    for (const Fitted& value : values) {
        rows.push_back({value.key, printed("%.4g", value.value), printed("%.4g", value.central),
                        printed("%.4g", value.low), printed("%.4g", value.high), value.unit,
                        (value.at == "inside" ? "" : "at its " + value.at + " end") +
                            (value.known_low ? printed(" known to %.4g", value.known_low) +
                                                   printed(" to %.4g", value.known_high)
                                             : "")});
    }
    document.table({"fitted", "value", "before", "low", "high", "unit", ""}, rows,
                   {false, true, true, true, true, false, false});
}

void tell_figures(Document& document, const std::vector<FittedFigure>& figures,
                  const std::string& interval)
{
    std::vector<TableRow> rows;
    for (const FittedFigure& figure : figures) {
        const std::string whole = figure.at_most ? interval + ", at most" : interval;
        rows.push_back({figure.point, figure.phase.empty() ? whole : figure.phase,
                        printed("%.4g", figure.measured), printed("%.4g", figure.estimated),
                        printed_percent("%+.2f", figure.error),
                        printed_percent("%+.2f", figure.left_out_error)});
    }
    document.table({"point", "figure", "measured s", "model s", "error", "left out"}, rows,
                   {false, false, true, true, true, true});
}

std::string combination_in_words(const Combination& combination)
{
    std::vector<std::string> words;
    for (const MovingValue& value : combination.values) {
        words.push_back(value.key + printed(" as f^%.2g", value.exponent));
    }
    return "Not identifiable from these data: " + join(words) + " together move the figures by " +
           printed_percent("%.2g", combination.effect) + " over the whole band.";
}

} // namespace

Document document_of(const Calibration& calibration)
{
    Document document;
    tell_values(document, calibration.values);
    document.gap();
    tell_figures(document, calibration.figures, calibration.interval.one);
    document.gap();
    document.line("Root mean square error " + printed_percent("%.3g", calibration.rms_error) +
                  ". Left out: what a fit to the other points predicts for this one.");
    for (const std::string& key : calibration.without_influence) {
        document.line("No influence around its fitted value: " + key +
                      "; others near it would do as well.");
    }
    for (const Combination& combination : calibration.not_told_apart) {
        document.line(combination_in_words(combination));
    }
    for (const std::string& words : calibration.left_out) {
        document.paragraph("Left out: " + words + ".");
    }
    return document;
}

} // namespace alxsim::experiments
