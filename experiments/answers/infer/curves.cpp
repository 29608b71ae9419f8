// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/curves.h"

#include "experiments/answers/infer/findings.h"
#include "report/linear_then_flat.h"

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

    /// Returns the band over the worlds in which the point fits.
    std::optional<Band> band_at(std::size_t point) const
    {
        std::vector<double> values;
        std::vector<double> of;
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            if (std::isfinite(seconds[i][point])) {
                values.push_back(seconds[i][point]);
                of.push_back(weights[i]);
            }
        }
        return band_of(values, of);
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
        cores.push_back(specs[i].study.machine.cores.value());
    }
    return cores;
}

/// The sweet spots, and how often a curve is linear, then flat; nothing of no curves.
void add_shape(std::optional<Named<double>>& sweet_spot, std::optional<double>& linear_then_flat,
               const Curves& curves, const std::vector<std::int64_t>& cores)
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
    sweet_spot.emplace();
    for (const auto& [at, weight] : spots) {
        sweet_spot->emplace_back(std::to_string(at), six_digits(weight / all));
    }
    linear_then_flat = six_digits(flat / all);
}

/// Whether both ask for the same job on the same machine, in whatever order.
bool same_job(const PointStudy& a, const PointStudy& b)
{
    const auto unordered = [](const PointStudy& study, const char* part) {
        return nlohmann::json(study.document.at(part));
    };
    return unordered(a, "machine") == unordered(b, "machine") &&
           unordered(a, "workload") == unordered(b, "workload");
}

/// What statements about a run say of a point's epoch.
std::vector<StatedSeconds> stated_of(const PointSpec& spec, const std::string& run,
                                     const Statements& statements)
{
    std::vector<StatedSeconds> list;
    for (const Statement& statement : statements.statements) {
        const StatedFigure& figure = statement.figures.front();
        if (statement.condition.kind == Condition::Kind::near && !statement.over &&
            figure.name == "epoch_seconds" && statements.points[figure.point].run == run &&
            same_job(statements.points[figure.point].study, spec.study)) {
            list.push_back({statement.name, six_digits(statement.condition.value / figure.times),
                            statement.condition.tolerance});
        }
    }
    return list;
}

SeriesBands bands_of(const std::vector<PointSpec>& specs, std::size_t begin, std::size_t end,
                     const Curves& before, const Curves& after)
{
    SeriesBands series;
    series.name = specs[begin].series;
    const std::vector<std::int64_t> cores = cores_of(specs, begin, end);
    for (std::size_t k = 0; k < cores.size(); ++k) {
        series.points.push_back(
            {specs[begin + k].sweep, cores[k], before.band_at(k), after.band_at(k), {}});
    }
    add_shape(series.sweet_spot.prior, series.linear_then_flat.prior, before, cores);
    add_shape(series.sweet_spot.posterior, series.linear_then_flat.posterior, after, cores);
    return series;
}

} // namespace

std::vector<std::vector<double>> curves_in(const DrawnWorlds& worlds, std::size_t first,
                                           std::size_t count, const std::vector<const World*>& in,
                                           HostPool& pool)
{
    std::vector<std::vector<double>> curves(in.size(), std::vector<double>(count));
    pool.for_chunks(
        static_cast<std::int64_t>(in.size()), 64, [&](std::int64_t begin, std::int64_t end) {
            // Point by point: what a draw leaves behind is still near for the next.
            for (std::size_t point = 0; point < count; ++point) {
                const StatedFigure epoch{first + point, "epoch_seconds", 1};
                for (std::int64_t i = begin; i < end; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    curves[at][point] = figure_of(epoch, worlds.figures(first + point, *in[at]));
                }
            }
        });
    return curves;
}

std::vector<SeriesBands> series_bands(const OwnPoints& own, const DrawnWorlds& worlds,
                                      const Statements& statements, const Draws& prior,
                                      const Sample& posterior, HostPool& pool)
{
    const std::vector<PointSpec>& specs = own.specs;
    const Chosen before = first_of(prior.worlds);
    const Chosen after = first_of(posterior);
    std::vector<SeriesBands> list;
    for (std::size_t begin = 0; begin < specs.size();) {
        std::size_t end = begin;
        while (end < specs.size() && specs[end].series == specs[begin].series) {
            ++end;
        }
        const auto in = [&](const Chosen& chosen) {
            return Curves{curves_in(worlds, own.first + begin, end - begin, chosen.worlds, pool),
                          chosen.weights};
        };
        SeriesBands series = bands_of(specs, begin, end, in(before), in(after));
        series.run = own.runs[begin];
        series.interval = worlds.interval(own.first + begin);
        for (std::size_t k = 0; begin + k < end; ++k) {
            series.points[k].stated = stated_of(specs[begin + k], own.runs[begin + k], statements);
        }
        list.push_back(std::move(series));
        begin = end;
    }
    return list;
}

} // namespace alxsim::experiments
