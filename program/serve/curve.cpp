// SPDX-License-Identifier: Apache-2.0
#include "program/serve/curve.h"

#include "base/host_pool.h"
#include "base/work/stop.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/runs/kept/point_outcome.h"
#include "experiments/version.h"

#include <algorithm>

namespace alxsim::program {

using namespace experiments;

namespace {

constexpr const char* drawn_fields[] = {"machine",
                                        "sweep",
                                        "fits",
                                        "error",
                                        "left_out",
                                        "notes",
                                        "memory",
                                        "fidelity",
                                        "interval",
                                        "epoch_seconds",
                                        "phases",
                                        "epoch_seconds_p05",
                                        "epoch_seconds_p50",
                                        "epoch_seconds_p95",
                                        "input",
                                        "bill",
                                        "compute_seconds",
                                        "hbm_seconds",
                                        "communication_seconds",
                                        "host_seconds",
                                        "waiting_seconds",
                                        "waiting",
                                        "communication",
                                        "idle_seconds",
                                        "confidence",
                                        "speedup",
                                        "efficiency",
                                        "cost_usd",
                                        "quality",
                                        "throughput"};

PointStudy analytic(const PointStudy& study)
{
    return changed(study, analytic_settings(study.band));
}

} // namespace

Settings analytic_settings(bool band)
{
    return {{"/numerics", false}, {"/fidelity", name_of(Fidelity::analytic)}, {"/band", band}};
}

std::vector<report::Point> CurveModel::points(const std::vector<PointSpec>& specs)
{
    std::vector<PointResult> results(specs.size());
    HostPool pool(threads_);
    pool.for_chunks(static_cast<std::int64_t>(specs.size()), 1,
                    [&](std::int64_t begin, std::int64_t) {
                        look_for_stop();
                        const auto i = static_cast<std::size_t>(begin);
                        try {
                            results[i] = run_point(analytic(specs[i].study), PointOptions());
                        } catch (const InputError& error) {
                            results[i].point.error = error.what();
                            results[i].refused = true;
                        }
                    });
    const bool all_refused = std::all_of(results.begin(), results.end(),
                                         [](const PointResult& one) { return one.refused; });
    std::vector<report::Point> points;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        PointResult& result = results[i];
        points.push_back(for_point(specs[i], [&] {
            if (result.refused && all_refused) {
                throw InputError(*result.point.error);
            }
            return result.refused ? refused_point(specs[i], *result.point.error).point
                                  : std::move(result.point);
        }));
    }
    return points;
}

report::Report report_of_curve(const Study& study, const std::vector<PointSpec>& specs,
                               std::vector<report::Point> points)
{
    report::ReportParts parts;
    parts.study = with_study_defaults(study.document);
    parts.tool = {version, commit};
    parts.series.push_back({specs.front().series, {}});
    for (std::size_t i = 0; i < specs.size(); ++i) {
        parts.series.front().points.push_back(i);
        parts.points.push_back(std::move(points[i]));
        parts.points.back().sweep = specs[i].sweep;
    }
    return report::make_report(std::move(parts));
}

Json drawn_of_report(const report::Report& report)
{
    const Json whole = report::to_json(report);
    Json points = Json::array();
    for (const Json& point : whole.at("points")) {
        Json drawn = Json::object();
        for (const char* field : drawn_fields) {
            if (point.contains(field)) {
                drawn[field] = point.at(field);
            }
        }
        points.push_back(std::move(drawn));
    }
    const Json machine = whole.at("study").value("machine", Json::object());
    return {{"points", std::move(points)},
            {"series", whole.at("series").at(0)},
            {"faults", machine.value("faults", Json::array())}};
}

} // namespace alxsim::program
