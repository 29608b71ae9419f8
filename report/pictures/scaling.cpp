// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/portable_math.h"
#include "report/pictures/frame.h"
#include "report/pictures/pictures.h"
#include "report/words.h"
#include "report/worlds.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace alxsim::report {
namespace {

/// Points with ascending, distinct core counts; empty where a series has no two of them.
std::vector<std::size_t> curve_points(const Report& report, const Series& series)
{
    std::vector<std::size_t> points = fitting_points(series.points, report.points);
    std::set<std::int64_t> cores;
    for (const std::size_t index : points) {
        cores.insert(report.points.at(index).machine.cores);
    }
    return cores.size() == points.size() && points.size() > 1 ? points : std::vector<std::size_t>{};
}

struct Curve {
    const Series* series;
    std::vector<std::size_t> points;
};

std::vector<Curve> curves_of(const Report& report, const std::vector<std::string>& wanted)
{
    std::vector<Curve> curves;
    for (const std::string& name : wanted.empty() ? series_names(report) : wanted) {
        const Series& series = series_named(report, name);
        std::vector<std::size_t> points = curve_points(report, series);
        if (points.empty() && !wanted.empty()) {
            throw InputError("--series", name,
                             "has no two core counts that fit, each once: no curve against cores");
        }
        if (!points.empty()) {
            curves.push_back({&series, std::move(points)});
        }
    }
    if (curves.empty()) {
        throw InputError("no series of the report has two core counts that fit, each once: no "
                         "curve against cores");
    }
    return curves;
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

double band_low(const Point& point)
{
    return point.result->low_seconds.value_or(point.seconds());
}

double band_high(const Point& point)
{
    return point.result->high_seconds.value_or(point.seconds());
}

/// 1, 2 and 5 times powers of ten from `low` to `high`; powers alone where they are many.
std::vector<double> round_values(double low, double high)
{
    std::vector<double> values;
    const bool many = high / low > 300;
    const int first = static_cast<int>(std::floor(portable::log10(low)));
    const int last = static_cast<int>(std::floor(portable::log10(high)));
    for (int exponent = first; exponent <= last; ++exponent) {
        const double power = portable::pow(10, exponent);
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * power;
            if (value >= low && value <= high && (factor == 1 || !many)) {
                values.push_back(value);
            }
        }
    }
    return values;
}

class ScalingPicture {
public:
    ScalingPicture(const Report& report, std::vector<Curve> curves)
        : report_(report),
          curves_(std::move(curves)),
          svg_(titled_slide("Time of " +
                            interval_words(*point(curves_[0].points[0]).result).with_article() +
                            " against cores: " + report.name()))
    {
        for (const Curve& curve : curves_) {
            for (const std::size_t index : curve.points) {
                cores_.insert(point(index).machine.cores);
                low_ = std::min(low_, band_low(point(index)));
                high_ = std::max(high_, band_high(point(index)));
            }
        }
    }

    std::string drawn()
    {
        const double first = static_cast<double>(*cores_.begin());
        const double last = static_cast<double>(*cores_.rbegin());
        const LogAxis x(first, last, plot_left, plot_right);
        const LogAxis y(low_ / 1.2, high_ * 1.2, plot_bottom, plot_top);
        draw_axes(x, y);
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            draw_curve(curves_[i], colour_of(i), x, y);
            legend_entry(svg_, i, colour_of(i), curves_[i].series->name);
        }
        legend_notes();
        return svg_.document();
    }

private:
    const Point& point(std::size_t index) const { return report_.points.at(index); }

    void draw_axes(const LogAxis& x, const LogAxis& y)
    {
        for (const double seconds : round_values(low_ / 1.2, high_ * 1.2)) {
            svg_.line({{plot_left, y(seconds)}, {plot_right, y(seconds)}}, {grid_colour});
            svg_.text({plot_left - 8, y(seconds) + 5}, seconds_in_words(seconds), text_size,
                      Anchor::end);
        }
        for (const std::int64_t cores : cores_) {
            const double at = x(static_cast<double>(cores));
            svg_.line({{at, plot_bottom}, {at, plot_bottom + 6}}, {axis_colour});
            svg_.text({at, plot_bottom + 26}, std::to_string(cores), text_size, Anchor::middle);
        }
        svg_.line({{plot_left, plot_top}, {plot_left, plot_bottom}, {plot_right, plot_bottom}},
                  {axis_colour, 1.5});
        svg_.text({(plot_left + plot_right) / 2, plot_bottom + 56}, "cores", text_size,
                  Anchor::middle);
    }

    void draw_curve(const Curve& curve, const std::string& colour, const LogAxis& x,
                    const LogAxis& y)
    {
        std::vector<Place> line, band, lower;
        for (const std::size_t index : curve.points) {
            const double at = x(static_cast<double>(point(index).machine.cores));
            line.push_back({at, y(line_seconds(point(index)))});
            band.push_back({at, y(band_high(point(index)))});
            lower.push_back({at, y(band_low(point(index)))});
            has_band_ = has_band_ || band_high(point(index)) > band_low(point(index));
        }
        band.insert(band.end(), lower.rbegin(), lower.rend());
        svg_.area(band, colour, 0.1);
        if (is_core_series(curve.series->points, report_.points)) {
            draw_ideal(curve, colour, x, y);
        }
        svg_.line(line, {colour, 3});
        for (const Place& place : line) {
            svg_.dot(place, 4.5, colour);
        }
    }

    /// Down to the frame, where it goes on below it.
    void draw_ideal(const Curve& curve, const std::string& colour, const LogAxis& x,
                    const LogAxis& y)
    {
        const Point& first = point(curve.points.front());
        const double work = first.seconds() * static_cast<double>(first.machine.cores);
        const double last = static_cast<double>(point(curve.points.back()).machine.cores);
        const double end = std::min(last, work / (low_ / 1.2));
        svg_.line({{x(work / first.seconds()), y(first.seconds())}, {x(end), y(work / end)}},
                  {colour, 1.5, true});
        has_ideal_ = true;
    }

    void legend_notes()
    {
        double at = plot_top + 10 + static_cast<double>(curves_.size()) * 26 + 14;
        const auto note = [&](const std::string& words) {
            svg_.text({plot_right + 25, at}, words, 14, Anchor::start, "#555555");
            at += 22;
        };
        if (has_ideal_) {
            note("dashed: perfect scaling");
        }
        if (has_band_) {
            note("shaded: 90 % of the draws");
        }
    }

    const Report& report_;
    std::vector<Curve> curves_;
    Svg svg_;
    std::set<std::int64_t> cores_;
    double low_ = 1e300;
    double high_ = 0;
    bool has_band_ = false;
    bool has_ideal_ = false;
};

} // namespace

std::string scaling_picture(const Report& report, const std::vector<std::string>& series)
{
    return ScalingPicture(report, curves_of(report, series)).drawn();
}

} // namespace alxsim::report
