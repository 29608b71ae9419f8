// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"
#include "report/compact/compact_points.h"

#include "base/input_error.h"
#include "report/network.h"
#include "report/report_fields.h"
#include "report/schema/report_schema.h"
#include "report/targets/metric_target.h"
#include "report/wording/point_words.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

namespace alxsim::report {
namespace {

/// Writes into each point the name of its series.
void name_series(const std::vector<SeriesSpec>& specs, std::vector<Point>& points)
{
    std::vector<int> named(points.size(), 0);
    for (const SeriesSpec& spec : specs) {
        for (const std::size_t index : spec.points) {
            points.at(index).series = spec.name;
            ++named[index];
        }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (named[i] != 1) {
            throw std::logic_error("point " + std::to_string(i) + " is in " +
                                   std::to_string(named[i]) + " series, not in one");
        }
    }
}

std::vector<Series> make_all_series(const std::vector<SeriesSpec>& specs,
                                    std::vector<Point>& points)
{
    std::vector<Series> all;
    for (const SeriesSpec& spec : specs) {
        const std::optional<double> value = target_value(spec, points);
        if (value) {
            add_seconds_to(*value, spec, points);
        }
        all.push_back(make_series(spec, points));
        if (value) {
            all.back().targets = {{spec.target->metric, value}};
        }
    }
    return all;
}

/// Returns those of the metrics that points have.
Named<MetricWords> words_in_use(const Named<MetricWords>& all, const std::vector<Point>& points)
{
    const auto has = [](const Point& point, const std::string& metric) {
        return point.result && point.result->quality &&
               std::any_of(point.result->quality->begin(), point.result->quality->end(),
                           [&](const Quality& quality) { return quality.metric(metric); });
    };
    Named<MetricWords> used;
    for (const auto& [metric, words] : all) {
        if (std::any_of(points.begin(), points.end(),
                        [&, name = metric](const Point& point) { return has(point, name); })) {
            used.emplace_back(metric, words);
        }
    }
    return used;
}

void check_index(std::size_t index, std::size_t count, const std::string& place,
                 const std::string& file)
{
    if (index >= count) {
        throw InputError(file, place,
                         "found " + std::to_string(index) + "; allowed: less than " +
                             std::to_string(count) + ", as many as there are");
    }
}

/// What refers to a point, or to a candidate, refers to one that there is.
void check_indices(const Report& report, const std::string& file)
{
    const std::size_t points = report.points.size();
    for (std::size_t s = 0; s < report.series.size(); ++s) {
        const Series& series = report.series[s];
        const std::string place = "/series/" + std::to_string(s);
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            check_index(series.points[i], points, place + "/points/" + std::to_string(i), file);
        }
        check_index(series.fastest.value_or(0), series.fastest ? points : 1, place + "/fastest",
                    file);
        check_index(series.cheapest.value_or(0), series.cheapest ? points : 1, place + "/cheapest",
                    file);
    }
    if (report.search) {
        check_index(report.search->best, report.search->candidates.size(), "/search/best", file);
    }
}

} // namespace

bool Assumption::operator==(const Assumption& other) const
{
    const auto all = [](const Assumption& one) {
        return std::tie(one.chip, one.name, one.value, one.low, one.high, one.unit, one.kind,
                        one.source);
    };
    return all(*this) == all(other);
}

Report make_report(ReportParts parts)
{
    Report report;
    report.tool = std::move(parts.tool);
    report.host = std::move(parts.host);
    report.study = std::move(parts.study);
    report.dataset = std::move(parts.dataset);
    report.inputs = std::move(parts.inputs);
    report.assumptions = std::move(parts.assumptions);
    report.points = std::move(parts.points);
    report.metrics = words_in_use(parts.metrics, report.points);
    report.search = std::move(parts.search);
    for (Point& point : report.points) {
        if (point.result) {
            point.result->network = network_of(*point.result);
        }
        tell_no_result(point);
    }
    name_series(parts.series, report.points);
    report.series = make_all_series(parts.series, report.points);
    std::vector<Hypothesis> hypotheses;
    if (report.study.contains("hypotheses")) {
        read_json(report.study.at("hypotheses"), hypotheses);
    }
    report.hypotheses = judge_all(hypotheses, report.series, report.points);
    for (Point& point : report.points) {
        if (point.result && point.result->drawn) {
            point.result->drawn->drop_splits(); // only verdicts needed them
        }
    }
    return report;
}

Json to_json(const Report& report)
{
    return json_of(report);
}

Json to_json_without_points(const Report& report)
{
    Report rest;
    rest.version = report.version;
    rest.tool = report.tool;
    rest.host = report.host;
    rest.study = report.study;
    rest.dataset = report.dataset;
    rest.inputs = report.inputs;
    rest.assumptions = report.assumptions;
    rest.metrics = report.metrics;
    rest.series = report.series;
    rest.hypotheses = report.hypotheses;
    rest.validation = report.validation;
    rest.search = report.search;
    return json_of(rest);
}

Report report_of(const Json& json, const std::string& file)
{
    const bool compact =
        json.is_object() && json.contains("points") && is_compact(json.at("points"));
    Json rest;
    if (compact) {
        rest = Json::object();
        for (const auto& [name, value] : json.items()) {
            rest[name] = name == "points" ? Json::array() : value;
        }
    }
    const Json& plain = compact ? rest : json;
    validate_report(plain, file, NewFields::read_over);
    try {
        Report report;
        read_json(plain, report);
        if (compact) {
            for_each_point(json.at("points"), file, [&](const Json& point) {
                validate_point(point, report.points.size(), file, NewFields::read_over);
                read_json(point, report.points.emplace_back());
            });
        }
        check_indices(report, file);
        return report;
    } catch (const json_fields::FieldError& error) {
        throw InputError(file, "", error.what());
    } catch (const Json::exception& error) {
        // What the schema leaves open and this program never writes.
        throw InputError(file, "", std::string("is no report of this program: ") + error.what());
    }
}

Report load_report(const std::string& path)
{
    const Json json = load_json(path);
    if (json.is_object() && json.contains("workload") && !json.contains("points")) {
        throw InputError(path, "",
                         "found a study; allowed: a report. `alxsim run " + path +
                             " -o out` makes one, out/report.json");
    }
    return report_of(json, path);
}

} // namespace alxsim::report
