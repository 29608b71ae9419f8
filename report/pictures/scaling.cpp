// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/portable_math.h"
#include "report/pictures/frame.h"
#include "report/pictures/labels.h"
#include "report/pictures/pictures.h"
#include "report/pictures/round_values.h"
#include "report/pictures/swept_axis.h"
#include "report/words.h"
#include "report/worlds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace alxsim::report {
namespace {

/// Points along an axis, ascending, and what they are called.
struct Curve {
    const Series* series;
    std::string name;
    std::vector<std::size_t> points;
};

std::vector<const Point*> points_at(const std::vector<std::size_t>& indices, const Report& report)
{
    std::vector<const Point*> points;
    for (const std::size_t index : indices) {
        points.push_back(&report.points.at(index));
    }
    return points;
}

/// What a series is drawn against: the first number that sets its points apart, of those that do.
/// None: a single point, or no number.
std::optional<std::string> axis_of(const Series& series, const Report& report)
{
    const std::vector<const Point*> points =
        points_at(fitting_points(series.points, report.points), report);
    if (points.size() < 2) {
        return std::nullopt;
    }
    const std::vector<std::string> apart = pointers_apart(points);
    const auto numeric = std::find_if(apart.begin(), apart.end(), [&](const std::string& pointer) {
        return is_numeric(points, pointer);
    });
    return numeric == apart.end() ? std::nullopt : std::optional(*numeric);
}

/// What is in the way of a curve that axis_of() does not find.
std::string no_curve_words(const Series& series, const Report& report)
{
    const std::size_t points = fitting_points(series.points, report.points).size();
    return points < 2 ? "has no two points that fit: no curve"
                      : "is swept over words: no curve; --picture resources draws bars";
}

/// A curve for each of what else sets the points of a series apart.
std::vector<Curve> curves_along(const std::string& axis, const Series& series, const Report& report)
{
    const std::vector<std::size_t> fitting = fitting_points(series.points, report.points);
    std::vector<std::string> others = pointers_apart(points_at(fitting, report));
    others.erase(std::remove(others.begin(), others.end(), axis), others.end());
    std::vector<Curve> curves;
    for (const std::size_t index : fitting) {
        std::string name = series.name;
        for (const std::string& other : others) {
            name += ", " + axis_words(other) + " " + value_words(report.points.at(index), other);
        }
        auto curve = std::find_if(curves.begin(), curves.end(),
                                  [&](const Curve& one) { return one.name == name; });
        if (curve == curves.end()) {
            curve = curves.insert(curves.end(), {&series, name, {}});
        }
        curve->points.push_back(index);
    }
    for (Curve& curve : curves) {
        std::sort(curve.points.begin(), curve.points.end(), [&](std::size_t a, std::size_t b) {
            return value_at(report.points.at(a), axis) < value_at(report.points.at(b), axis);
        });
    }
    return curves;
}

/// Curves against the same axis, that of the first.
struct Chart {
    std::string axis;
    std::vector<Curve> curves;
};

Chart chart_of(const Report& report, const std::vector<std::string>& wanted)
{
    std::optional<std::string> axis;
    Chart chart;
    for (const std::string& name : wanted.empty() ? series_names(report) : wanted) {
        const Series& series = series_named(report, name);
        const std::optional<std::string> own = axis_of(series, report);
        axis = axis ? axis : own;
        if (!wanted.empty() && (!own || own != axis)) {
            throw InputError("--series", name,
                             own ? "is a curve against " + axis_words(*own) +
                                       ", the one before it against " + axis_words(*axis)
                                 : no_curve_words(series, report));
        }
        if (own && own == axis) {
            for (Curve& curve : curves_along(*own, series, report)) {
                chart.curves.push_back(std::move(curve));
            }
        }
    }
    if (chart.curves.empty()) {
        const Series& first =
            wanted.empty() ? report.series.front() : series_named(report, wanted[0]);
        throw InputError("--picture", "scaling",
                         "the series '" + first.name + "' " + no_curve_words(first, report));
    }
    if (chart.curves.size() > most_entries - 2) {
        throw InputError("--picture", "scaling",
                         "would have " + std::to_string(chart.curves.size()) +
                             " curves; allowed: at most " + std::to_string(most_entries - 2) +
                             ". --series chooses");
    }
    chart.axis = *axis;
    return chart;
}

/// An axis on which equal ratios are equally long.
class LogAxis {
public:
    LogAxis(double low, double high, double from, double to)
        : low_(portable::log10(low)),
          scale_((to - from) / std::max(portable::log10(high) - low_, 1e-9)),
          from_(from)
    {
    }
    double operator()(double value) const
    {
        return from_ + (portable::log10(value) - low_) * scale_;
    }

private:
    double low_, scale_, from_;
};

/// An axis of what is swept: by ratios, but by differences where a value is none of them, or all
/// are near.
class SweptAxis {
public:
    /// `inset`: of its ends from those of the plot.
    SweptAxis(double low, double high, double inset)
        : low_(low),
          high_(high),
          from_(plot_left + inset),
          to_(plot_right - inset)
    {
    }
    double operator()(double value) const
    {
        const bool by_ratio = low_ > 0 && high_ >= 2 * low_;
        return by_ratio ? LogAxis(low_, high_, from_, to_)(value)
                        : from_ + (value - low_) / std::max(high_ - low_, 1e-300) * (to_ - from_);
    }

private:
    double low_, high_, from_, to_;
};

double band_low(const Point& point)
{
    return point.result->low_seconds.value_or(point.seconds());
}

double band_high(const Point& point)
{
    return point.result->high_seconds.value_or(point.seconds());
}

/// From the range of a curve to that of the next at the same point.
constexpr double between_ranges = 4;

/// The lowest place of a curve's name: below stand the notes.
constexpr double names_bottom = plot_bottom - 34;

class ScalingPicture {
public:
    ScalingPicture(const Report& report, Chart chart)
        : report_(report),
          axis_(std::move(chart.axis)),
          curves_(std::move(chart.curves)),
          svg_(titled_slide("Time of " +
                            interval_words(*point(curves_[0].points[0]).result).with_article() +
                            " against " + axis_words(axis_) + ": " + report.name()))
    {
        for (const Curve& curve : curves_) {
            for (const std::size_t index : curve.points) {
                values_.emplace(at(index), value_words(point(index), axis_));
                low_ = std::min(low_, band_low(point(index)));
                high_ = std::max(high_, band_high(point(index)));
            }
        }
        seconds_ = round_values_around(low_, high_);
    }

    std::string drawn()
    {
        const double inset = curves_.size() == 1 ? 0 : aside(curves_.size() - 1) + between_ranges;
        const SweptAxis x(values_.begin()->first, values_.rbegin()->first, inset);
        const LogAxis y(seconds_.front(), seconds_.back(), plot_bottom, plot_top);
        draw_axes(x, y);
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            draw_band(i, x, y);
        }
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            draw_curve(curves_[i], colour_of(i), x, y);
        }
        name_curves(x, y);
        legend_notes();
        return svg_.document();
    }

private:
    const Point& point(std::size_t index) const { return report_.points.at(index); }
    double at(std::size_t index) const { return value_at(point(index), axis_); }

    void draw_axes(const SweptAxis& x, const LogAxis& y)
    {
        for (const double seconds : seconds_) {
            svg_.line({{plot_left, y(seconds)}, {plot_right, y(seconds)}}, {grid_colour});
            svg_.text({plot_left - 8, y(seconds) + 5}, seconds_in_words(seconds), text_size,
                      Anchor::end);
        }
        std::vector<AxisLabel> labels;
        for (const auto& [value, words] : values_) {
            labels.push_back({x(value), words});
            svg_.line({{x(value), plot_bottom}, {x(value), plot_bottom + 6}}, {axis_colour});
        }
        draw_labels_below(svg_, labels);
        svg_.line({{plot_left, plot_top}, {plot_left, plot_bottom}, {plot_right, plot_bottom}},
                  {axis_colour, 1.5});
        svg_.text({(plot_left + plot_right) / 2, axis_words_y}, axis_words(axis_), text_size,
                  Anchor::middle);
    }

    bool has_band(const Curve& curve) const
    {
        return std::any_of(curve.points.begin(), curve.points.end(), [&](std::size_t index) {
            return band_high(point(index)) > band_low(point(index));
        });
    }

    /// How far the ranges of a curve stand from its points.
    double aside(std::size_t number) const
    {
        const double middle = (static_cast<double>(curves_.size()) - 1) / 2;
        return (static_cast<double>(number) - middle) * between_ranges;
    }

    /// Shades the band of a curve that is alone; areas of several would hide each other, so that
    /// each then gets upright lines at its points, beside those of the others.
    void draw_band(std::size_t number, const SweptAxis& x, const LogAxis& y)
    {
        const Curve& curve = curves_[number];
        if (!has_band(curve)) {
            return;
        }
        has_band_ = true;
        const bool alone = curves_.size() == 1;
        std::vector<Place> upper, lower;
        for (const std::size_t index : curve.points) {
            upper.push_back({x(at(index)), y(band_high(point(index)))});
            lower.push_back({x(at(index)), y(band_low(point(index)))});
            if (!alone) {
                const double place = upper.back().x + aside(number);
                svg_.line({{place, upper.back().y}, {place, lower.back().y}},
                          {colour_of(number), 1.5});
            }
        }
        if (alone) {
            upper.insert(upper.end(), lower.rbegin(), lower.rend());
            svg_.area(upper, colour_of(number), 0.12);
        }
    }

    void draw_curve(const Curve& curve, const std::string& colour, const SweptAxis& x,
                    const LogAxis& y)
    {
        std::vector<Place> line;
        for (const std::size_t index : curve.points) {
            line.push_back({x(at(index)), y(line_seconds(point(index)))});
        }
        if (axis_.empty() && is_core_series(curve.series->points, report_.points)) {
            draw_ideal(curve, colour, x, y);
        } else if (axis_.empty() && is_weak_scaling(curve.points, report_.points)) {
            draw_weak_ideal(curve, colour, x, y);
        }
        svg_.line(line, {colour, 3});
        for (const Place& place : line) {
            svg_.dot(place, 4.5, colour);
        }
    }

    /// Writes each name where its curve ends, in the order in which they end.
    void name_curves(const SweptAxis& x, const LogAxis& y)
    {
        std::vector<double> ends;
        for (const Curve& curve : curves_) {
            ends.push_back(y(line_seconds(point(curve.points.back()))));
        }
        std::vector<std::string> names;
        for (const Curve& curve : curves_) {
            names.push_back(curve.name);
        }
        const LegendRows rows = legend_rows(names, names_bottom - plot_top);
        const std::vector<double> places = spread_out(
            ends, rows.height, plot_top + 12, names_bottom - (rows.height - LegendRows().height));
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            const Place end{x(at(curves_[i].points.back())), ends[i]};
            svg_.line({end, {plot_right + 22, places[i] - 6}}, {colour_of(i), 1});
            legend_entry(svg_, places[i], colour_of(i), curves_[i].name, rows);
        }
    }

    /// Down to the frame, where it goes on below it.
    void draw_ideal(const Curve& curve, const std::string& colour, const SweptAxis& x,
                    const LogAxis& y)
    {
        const Point& first = point(curve.points.front());
        const double work = first.seconds() * static_cast<double>(first.machine.cores);
        const double last = static_cast<double>(point(curve.points.back()).machine.cores);
        const double end = std::min(last, work / seconds_.front());
        svg_.line({{x(work / first.seconds()), y(first.seconds())}, {x(end), y(work / end)}},
                  {colour, curves_.size() == 1 ? 1.5 : 1.0, true});
        has_ideal_ = true;
    }

    /// The time of the first point, for as much work a core: flat, where that stays.
    void draw_weak_ideal(const Curve& curve, const std::string& colour, const SweptAxis& x,
                         const LogAxis& y)
    {
        const Point& first = point(curve.points.front());
        std::vector<Place> line;
        for (const std::size_t index : curve.points) {
            const double cores = at(index) / at(curve.points.front());
            const double seconds = first.seconds() * growth_of_work(first, point(index)) / cores;
            line.push_back(
                {x(at(index)), y(std::clamp(seconds, seconds_.front(), seconds_.back()))});
        }
        svg_.line(line, {colour, curves_.size() == 1 ? 1.5 : 1.0, true});
        has_weak_ideal_ = true;
    }

    void legend_notes()
    {
        double y = names_bottom + 30;
        const auto note = [&](const std::string& words) {
            svg_.text({plot_right + 14, y}, words, text_size, Anchor::start, "#555555");
            y += 22;
        };
        if (has_ideal_) {
            note("dashed: perfect scaling");
        }
        if (has_weak_ideal_) {
            note("dashed: time that stays");
        }
        if (has_band_) {
            note(curves_.size() == 1 ? "shaded: 90 % of the draws" : "lines: 90 % of the draws");
        }
    }

    const Report& report_;
    std::string axis_;
    std::vector<Curve> curves_;
    Svg svg_;
    std::map<double, std::string> values_; ///< of the axis
    std::vector<double> seconds_;          ///< told beside the plot
    double low_ = 1e300;
    double high_ = 0;
    bool has_band_ = false;
    bool has_ideal_ = false;
    bool has_weak_ideal_ = false;
};

} // namespace

std::string scaling_picture(const Report& report, const std::vector<std::string>& series)
{
    return ScalingPicture(report, chart_of(report, series)).drawn();
}

} // namespace alxsim::report
