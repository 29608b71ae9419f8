// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/drawn_worlds.h"

#include "base/work/stop.h"
#include "experiments/points/op_timing.h"
#include "model/explain_op.h"

#include <map>
#include <utility>

namespace alxsim::experiments {

DrawnWorlds::DrawnWorlds(const std::vector<DrawnPoint>& points)
{
    std::vector<std::vector<std::string>> keys;
    std::map<std::string, WorldUnknown> by_key; // in whatever order points are listed
    for (const DrawnPoint& point : points) {
        points_.push_back({UncertainJob(job_of(point.study)), {}});
        keys.emplace_back();
        for (const Unknown& unknown : points_.back().job.unknowns()) {
            keys.back().push_back(unknown.of == UnknownOf::run
                                      ? unknown.name + " [" + point.run + "]"
                                      : unknown.name);
            by_key.emplace(keys.back().back(), WorldUnknown{keys.back().back(), unknown});
        }
    }
    std::map<std::string, std::size_t> columns;
    for (const auto& [key, unknown] : by_key) {
        columns[key] = unknowns_.size();
        unknowns_.push_back(unknown);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
        for (const std::string& key : keys[i]) {
            points_[i].columns.push_back(columns.at(key));
        }
    }
}

std::vector<DrawnWorlds::World> DrawnWorlds::prior(int draws, std::uint64_t seed) const
{
    std::vector<World> worlds(static_cast<std::size_t>(draws), World(unknowns_.size()));
    for (std::size_t column = 0; column < unknowns_.size(); ++column) {
        look_for_stop();
        const std::vector<double> quantiles =
            model::latin_column(draws, seed, unknowns_[column].key);
        for (std::size_t i = 0; i < worlds.size(); ++i) {
            worlds[i][column] = quantiles[i];
        }
    }
    return worlds;
}

UncertainJob::Values DrawnWorlds::values_in(const Point& point, const World& world) const
{
    UncertainJob::Values values;
    for (std::size_t i = 0; i < point.columns.size(); ++i) {
        values.emplace_back(point.job.unknowns()[i].at(world[point.columns[i]]));
    }
    return values;
}

PointFigures DrawnWorlds::figures(std::size_t point, const World& world) const
{
    const Point& drawn = points_[point];
    const DrawnEstimate estimated = drawn.job.estimate_with_memory(values_in(drawn, world));
    return {estimated.fits, estimated.interval};
}

double DrawnWorlds::workload_figure(std::size_t point, const std::string& name,
                                    const World& world) const
{
    const Point& drawn = points_[point];
    return drawn.job.figure(name, values_in(drawn, world));
}

Seconds DrawnWorlds::op_seconds(std::size_t point, const model::Op& op, const World& world) const
{
    const Point& drawn = points_[point];
    return to_seconds(
        model::explain_op(op, without_host_program(drawn.job.machine(values_in(drawn, world))))
            .closed_form);
}

} // namespace alxsim::experiments
