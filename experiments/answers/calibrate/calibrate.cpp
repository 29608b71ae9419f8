// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/calibrate.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "base/text/printed.h"
#include "experiments/answers/calibrate/ambiguity.h"
#include "experiments/answers/calibrate/least_squares.h"
#include "experiments/points/study/machine_request.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace alxsim::experiments {
namespace {

using Eigen::VectorXd;
using Points = std::vector<MeasuredPoint>;
using Values = std::vector<FittedValue>;

constexpr int more_starts = 3;
constexpr std::uint64_t start_seed = 1;
constexpr double at_wall = 1e-4; ///< of the band
constexpr std::size_t suggestions = 5;

/// By key.
Named<double> overrides_at(const Values& values, const VectorXd& place)
{
    Named<double> overrides;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const FittedValue& value = values[i];
        overrides.emplace_back(
            value.key, std::clamp(rounded("%.6g", value.at(place[static_cast<Eigen::Index>(i)])),
                                  value.low, value.high));
    }
    return overrides;
}

VectorXd central_place(const Values& values)
{
    VectorXd place(static_cast<Eigen::Index>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        place[static_cast<Eigen::Index>(i)] = values[i].place_of(values[i].central);
    }
    return place;
}

/// log(estimated/measured) of each figure; of an upper bound only what is above it.
BoxResiduals residuals_of(const Points& points, const Values& values)
{
    return [&points, &values](const VectorXd& place) {
        std::vector<double> all;
        for (const MeasuredPoint& point : points) {
            Named<double> overrides;
            for (std::size_t i = 0; i < values.size(); ++i) {
                overrides.emplace_back(values[i].key,
                                       values[i].at(place[static_cast<Eigen::Index>(i)]));
            }
            const std::vector<double> seconds = estimated_seconds(point, overrides);
            for (std::size_t i = 0; i < seconds.size(); ++i) {
                const double residual = portable::log(seconds[i] / point.figures[i].seconds);
                all.push_back(point.figures[i].at_most ? std::max(0.0, residual) : residual);
            }
        }
        return VectorXd(
            Eigen::Map<const VectorXd>(all.data(), static_cast<Eigen::Index>(all.size())));
    };
}

/// "gather_row_s (93 %), ...": what changes the figures most over its band, around the centre.
std::string most_influential(const Points& points, const Values& values)
{
    const BoxFit central = linearized(residuals_of(points, values), central_place(values));
    const VectorXd influence = central.jacobian.colwise().norm();
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return influence[static_cast<Eigen::Index>(a)] > influence[static_cast<Eigen::Index>(b)];
    });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(suggestions, order.size()); ++i) {
        names.push_back(values[order[i]].key);
    }
    return join(names);
}

void refuse_more_than_data_carry(const Points& points, const Values& values)
{
    const int measured = count_measured(points);
    const int wanted = static_cast<int>(values.size());
    if (wanted <= measured) {
        return;
    }
    throw InputError(
        "--fit", "",
        std::to_string(wanted) + " values to fit, but " + std::to_string(measured) +
            " measured figures (whole times and phases; upper bounds do not count): the "
            "data cannot carry that. Name fewer; those with most influence on these "
            "figures: " +
            most_influential(points, values));
}

Values chosen_values(const topologies::Preset& preset, const MachineRequest& machine,
                     const std::vector<std::string>& keys)
{
    Values values = keys.empty() ? assumed_values(preset, machine) : Values{};
    for (const std::string& key : keys) {
        values.push_back(fitted_value(preset, key));
        const std::string& name = values.back().key;
        if (is_overridden(machine, name)) {
            throw InputError("--fit", name,
                             "is overridden by the study; take it out of /machine/overrides");
        }
        if (std::count_if(values.begin(), values.end(),
                          [&](const FittedValue& other) { return other.key == name; }) > 1) {
            throw InputError("--fit", name, "is named twice");
        }
    }
    return values;
}

std::vector<Fitted> fitted_values(const Values& values, const VectorXd& place,
                                  const Named<double>& overrides)
{
    std::vector<Fitted> fitted;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const FittedValue& value = values[i];
        const double at = place[static_cast<Eigen::Index>(i)];
        fitted.push_back({value.key,
                          value.unit,
                          overrides[i].second,
                          value.central,
                          value.low,
                          value.high,
                          at < at_wall ? "low" : (at > 1 - at_wall ? "high" : "inside"),
                          {},
                          {}});
    }
    return fitted;
}

/// What a fit to all points but one says of that one; empty where too few figures are left.
std::vector<double> predicted_from_others(const Points& points, std::size_t left_out,
                                          const Values& values, const VectorXd& start)
{
    Points others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    if (count_measured(others) < static_cast<int>(values.size()) || values.empty()) {
        return {};
    }
    const BoxFit fit = least_squares(residuals_of(others, values), start);
    return estimated_seconds(points[left_out], overrides_at(values, fit.at));
}

/// Adds the point's figures; returns the sum of squared errors of what was measured.
double add_figures(std::vector<FittedFigure>& figures, const MeasuredPoint& point,
                   const Named<double>& overrides, const std::vector<double>& predicted)
{
    const std::vector<double> estimated = estimated_seconds(point, overrides);
    double sum = 0;
    for (std::size_t i = 0; i < point.figures.size(); ++i) {
        const MeasuredFigure& figure = point.figures[i];
        const double error = estimated[i] / figure.seconds - 1;
        figures.push_back(
            {point.name,
             figure.phase.empty() && figure.ops.size() == 1 ? figure.ops.front() : figure.phase,
             figure.seconds,
             figure.at_most,
             estimated[i],
             error,
             {}});
        if (!predicted.empty() && !figure.at_most) {
            figures.back().left_out_error = predicted[i] / figure.seconds - 1;
        }
        sum += figure.at_most ? 0 : error * error;
    }
    return sum;
}

void add_ambiguity(Calibration& calibration, const Eigen::MatrixXd& jacobian, const Values& values)
{
    const Ambiguity ambiguity = ambiguity_of(jacobian, values);
    for (const std::size_t i : ambiguity.without_influence) {
        calibration.without_influence.push_back(values[i].key);
    }
    for (const Ambiguity::Combination& combination : ambiguity.combinations) {
        Combination told{combination.effect, {}};
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::abs(combination.exponents[i]) >= 0.1) {
                told.values.push_back({values[i].key, rounded("%.6g", combination.exponents[i])});
            }
        }
        calibration.not_told_apart.push_back(std::move(told));
    }
}

bool is_of_ops(const Points& points)
{
    return points.front().op || !points.front().figures.front().ops.empty();
}

/// Whether the figures see a value, and by itself.
bool told_apart(const Calibration& calibration, const std::string& key)
{
    const auto& unseen = calibration.without_influence;
    return std::find(unseen.begin(), unseen.end(), key) == unseen.end() &&
           std::none_of(calibration.not_told_apart.begin(), calibration.not_told_apart.end(),
                        [&](const Combination& one) {
                            return std::any_of(
                                one.values.begin(), one.values.end(),
                                [&](const MovingValue& value) { return value.key == key; });
                        });
}

/// How well each value is known: 90 % of a normal law whose variance is that of linear least
/// squares, of residuals and of the spread of the measurements. What the figures do not see, or not
/// by itself, keeps its whole band.
void add_known_to(Calibration& calibration, const BoxFit& fit, const Values& values,
                  const Points& points)
{
    constexpr double ninety_percent = 1.645;
    double spread = 0;
    for (const MeasuredPoint& point : points) {
        spread += point.spread * point.spread / static_cast<double>(points.size());
    }
    const double freedom = std::max(1.0, static_cast<double>(fit.residuals.size()) -
                                             static_cast<double>(values.size()));
    const double variance = fit.cost() / freedom + spread;
    const Eigen::MatrixXd normal = fit.jacobian.transpose() * fit.jacobian;
    const Eigen::MatrixXd inverse = normal.completeOrthogonalDecomposition().pseudoInverse();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        Fitted& fitted = calibration.values[i];
        const bool is_seen = told_apart(calibration, fitted.key);
        const double half = is_seen ? ninety_percent * std::sqrt(variance * inverse(at, at)) : 1;
        fitted.known_low = std::min(fitted.value, values[i].at(std::max(0.0, fit.at[at] - half)));
        fitted.known_high = std::max(fitted.value, values[i].at(std::min(1.0, fit.at[at] + half)));
    }
}

} // namespace

Calibration calibrate(const Study& study, const std::string& measured,
                      const std::vector<std::string>& keys)
{
    return calibrate(measured_points(study, measured), keys);
}

Calibration calibrate(const std::vector<MeasuredPoint>& points,
                      const std::vector<std::string>& keys)
{
    const MachineRequest& machine = points.front().study.machine;
    const std::string chip = chip_of(machine.chip.value_or(""), points.front().study.file);
    const Values values = chosen_values(topologies::Preset::load(chip), machine, keys);
    refuse_more_than_data_carry(points, values);
    const BoxFit fit =
        least_squares(residuals_of(points, values), central_place(values), more_starts, start_seed);
    const Named<double> overrides = overrides_at(values, fit.at);
    Calibration calibration;
    calibration.chip = chip;
    calibration.interval = interval_of(points.front());
    calibration.values = fitted_values(values, fit.at, overrides);
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        calibration.points.push_back(points[i].name);
        sum += add_figures(calibration.figures, points[i], overrides,
                           predicted_from_others(points, i, values, fit.at));
    }
    calibration.rms_error = std::sqrt(sum / std::max(1, count_measured(points)));
    add_ambiguity(calibration, fit.jacobian, values);
    if (is_of_ops(points)) {
        add_known_to(calibration, fit, values, points);
    }
    return calibration;
}

} // namespace alxsim::experiments
