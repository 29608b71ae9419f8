// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/calibrate/points.h"
#include "experiments/points/study/study.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A value that was fitted.
struct Fitted {
    std::string key;
    std::string unit;
    double value = 0;
    double central = 0;
    double low = 0;
    double high = 0;
    std::string at; ///< "low", "inside", "high": where in its band
    /// Limits, in a fit to ops, between which 90 % of the values are that agree with them.
    std::optional<double> known_low, known_high;
};

/// A measured figure next to the fit's.
struct FittedFigure {
    std::string point;
    std::string phase; ///< "" for the whole interval
    double measured = 0;
    bool at_most = false;
    double estimated = 0;
    double error = 0;
    /// Error of what a fit to the other points predicts; none where too few are left.
    std::optional<double> left_out_error;
};

struct MovingValue {
    std::string key;
    double exponent = 0;
};

/// A combination of values that the data do not tell apart.
struct Combination {
    double effect = 0;
    std::vector<MovingValue> values;
};

struct Calibration {
    std::string chip;
    report::IntervalWords interval;
    std::vector<std::string> points; ///< names
    std::vector<Fitted> values;
    std::vector<FittedFigure> figures;
    double rms_error = 0;                       ///< of what was measured
    std::vector<std::string> without_influence; ///< keys, around their fitted values
    std::vector<Combination> not_told_apart;
    std::vector<std::string> left_out = {}; ///< of a profile: what was not used, and why
};

template <class Fields>
void list_fields(Fields& fields, Fitted& value)
{
    fields("key", value.key);
    fields("unit", value.unit);
    fields("value", value.value);
    fields("central", value.central);
    fields("low", value.low);
    fields("high", value.high);
    fields("at", value.at);
    fields("known_low", value.known_low);
    fields("known_high", value.known_high);
}

template <class Fields>
void list_fields(Fields& fields, FittedFigure& figure)
{
    fields("point", figure.point);
    fields("phase", figure.phase);
    fields("measured", figure.measured);
    fields("at_most", figure.at_most);
    fields("estimated", figure.estimated);
    fields("error", figure.error);
    fields.nullable("left_out_error", figure.left_out_error);
}

template <class Fields>
void list_fields(Fields& fields, MovingValue& value)
{
    fields("key", value.key);
    fields("exponent", value.exponent);
}

template <class Fields>
void list_fields(Fields& fields, Combination& combination)
{
    fields("effect", combination.effect);
    fields("values", combination.values);
}

template <class Fields>
void list_fields(Fields& fields, Calibration& calibration)
{
    fields("chip", calibration.chip);
    fields("points", calibration.points);
    fields("values", calibration.values);
    fields("figures", calibration.figures);
    fields("rms_error", calibration.rms_error);
    fields("without_influence", calibration.without_influence);
    fields("not_told_apart", calibration.not_told_apart);
    fields.unless_empty("left_out", calibration.left_out);
}

/// Fits the values of the study's chip named `keys` (none: all that are assumed and have a band) to
/// measured points, each within its low and high: least squares over log(estimated/measured) of
/// intervals and phases; an upper bound counts where it is exceeded. Throws InputError: an unknown
/// key, more values than measured figures (naming the values with most influence), a measured point
/// that is wrong.
Calibration calibrate(const Study& study, const std::string& measured,
                      const std::vector<std::string>& keys);

/// The same of points that are there already, all of one chip, at least one.
Calibration calibrate(const std::vector<MeasuredPoint>& points,
                      const std::vector<std::string>& keys);

/// The chip's preset with the fitted values: kind `calibrated`, the points and the old value in
/// their sources. Obeys topologies/schema/preset.schema.json.
Json calibrated_preset(const Calibration& calibration);

/// For people: values, figures, and what the data leave open.
Document document_of(const Calibration& calibration);

} // namespace alxsim::experiments
