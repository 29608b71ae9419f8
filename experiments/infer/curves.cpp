// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/curves.h"

#include "experiments/infer/posterior_json.h"
#include "report/claims.h"
#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace alxsim::experiments {
namespace {

using World = DrawnWorlds::World;

/// Curves of one series in some worlds: [world][point], and how much each counts.
struct Curves {
    std::vector<std::vector<double>> seconds;
    std::vector<double> weights;

    /// Of the worlds in which the point fits.
    Json band_at(std::size_t point) const
    {
        std::vector<double> values;
        std::vector<double> of;
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            if (std::isfinite(seconds[i][point])) {
                values.push_back(seconds[i][point]);
                of.push_back(weights[i]);
            }
        }
        return band_json(values, of);
    }
};

struct Chosen {
    std::vector<const World*> worlds;
    std::vector<double> weights;
};

Chosen first_of(const std::vector<World>& prior)
{
    Chosen chosen;
    for (std::size_t i = 0; i < prior.size() && i < most_worlds_told; ++i) {
        chosen.worlds.push_back(&prior[i]);
        chosen.weights.push_back(1);
    }
    return chosen;
}

Chosen first_of(const Sample& sample)
{
    Chosen chosen;
    const Survivors& survivors = sample.survivors;
    for (std::size_t k = 0; k < survivors.worlds.size() && k < most_worlds_told; ++k) {
        chosen.worlds.push_back(&sample.draws.worlds[survivors.worlds[k]]);
        chosen.weights.push_back(survivors.weights[k]);
    }
    return chosen;
}

/// Core counts of a series' points.
std::vector<std::int64_t> cores_of(const std::vector<PointSpec>& specs, std::size_t begin,
                                   std::size_t end)
{
    std::vector<std::int64_t> cores;
    for (std::size_t i = begin; i < end; ++i) {
        cores.push_back(specs[i].study.at("machine").at("cores").get<std::int64_t>());
    }
    return cores;
}

/// The sweet spots, and how often a curve is linear, then flat.
void add_shape(Json& series, const char* which, const Curves& curves,
               const std::vector<std::int64_t>& cores)
{
    std::map<std::int64_t, double> spots;
    double flat = 0;
    double all = 0;
    for (std::size_t i = 0; i < curves.seconds.size(); ++i) {
        std::vector<report::CoreTime> curve;
        for (std::size_t k = 0; k < cores.size(); ++k) {
            if (std::isfinite(curves.seconds[i][k])) {
                curve.push_back({cores[k], curves.seconds[i][k]});
            }
        }
        if (curve.size() < 3) {
            continue;
        }
        all += curves.weights[i];
        spots[report::sweet_spot_of(curve).cores] += curves.weights[i];
        flat += report::is_linear_then_flat(curve) ? curves.weights[i] : 0;
    }
    if (all == 0) {
        return;
    }
    Json shares = Json::object();
    for (const auto& [at, weight] : spots) {
        shares[std::to_string(at)] = six_digits(weight / all);
    }
    series["sweet_spot"][which] = shares;
    series["linear_then_flat"][which] = six_digits(flat / all);
}

/// Whether both ask for the same job on the same machine, in whatever order.
bool same_job(const Json& a, const Json& b)
{
    const auto unordered = [](const Json& json) { return nlohmann::json(json); };
    return unordered(a.at("machine")) == unordered(b.at("machine")) &&
           unordered(a.at("workload")) == unordered(b.at("workload"));
}

/// What statements say of a point's epoch.
Json stated_json(const PointSpec& spec, const Statements& statements)
{
    Json list = Json::array();
    for (const Statement& statement : statements.statements) {
        const StatedFigure& figure = statement.figures.front();
        if (statement.condition.kind == Condition::Kind::near && !statement.over &&
            figure.name == "epoch_seconds" &&
            same_job(statements.points[figure.point].study, spec.study)) {
            list.push_back({{"name", statement.name},
                            {"seconds", six_digits(statement.condition.value / figure.times)},
                            {"tolerance", statement.condition.tolerance}});
        }
    }
    return list;
}

Json one_series_json(const std::vector<PointSpec>& specs, std::size_t begin, std::size_t end,
                     const Curves& before, const Curves& after)
{
    Json series{{"name", specs[begin].series}, {"points", Json::array()}};
    const std::vector<std::int64_t> cores = cores_of(specs, begin, end);
    for (std::size_t k = 0; k < cores.size(); ++k) {
        series["points"].push_back({{"sweep", specs[begin + k].sweep},
                                    {"cores", cores[k]},
                                    {"prior", before.band_at(k)},
                                    {"posterior", after.band_at(k)}});
    }
    add_shape(series, "prior", before, cores);
    add_shape(series, "posterior", after, cores);
    return series;
}

} // namespace

std::vector<std::vector<double>> curves_in(const DrawnWorlds& worlds, std::size_t first,
                                           std::size_t count, const std::vector<const World*>& in,
                                           HostPool& pool)
{
    std::vector<std::vector<double>> curves(in.size());
    pool.for_chunks(static_cast<std::int64_t>(in.size()), 16,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) {
                            const auto at = static_cast<std::size_t>(i);
                            for (std::size_t point = first; point < first + count; ++point) {
                                curves[at].push_back(figure_of({point, "epoch_seconds", 1},
                                                               worlds.figures(point, *in[at])));
                            }
                        }
                    });
    return curves;
}

Json series_json(const OwnPoints& own, const DrawnWorlds& worlds, const Statements& statements,
                 const Draws& prior, const Sample& posterior, HostPool& pool)
{
    const std::vector<PointSpec>& specs = own.specs;
    const Chosen before = first_of(prior.worlds);
    const Chosen after = first_of(posterior);
    Json list = Json::array();
    for (std::size_t begin = 0; begin < specs.size();) {
        std::size_t end = begin;
        while (end < specs.size() && specs[end].series == specs[begin].series) {
            ++end;
        }
        const auto in = [&](const Chosen& chosen) {
            return Curves{curves_in(worlds, own.first + begin, end - begin, chosen.worlds, pool),
                          chosen.weights};
        };
        Json series = one_series_json(specs, begin, end, in(before), in(after));
        for (std::size_t k = 0; begin + k < end; ++k) {
            const Json stated = stated_json(specs[begin + k], statements);
            if (!stated.empty()) {
                series["points"][k]["stated"] = stated;
            }
        }
        list.push_back(std::move(series));
        begin = end;
    }
    return list;
}

} // namespace alxsim::experiments
