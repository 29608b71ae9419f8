// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/drawn_worlds.h"

#include "experiments/machine_request.h"
#include "experiments/op_timing.h"
#include "model/explain_op.h"

#include <map>
#include <utility>

namespace alxsim::experiments {

DrawnWorlds::DrawnWorlds(const std::vector<DrawnPoint>& points, const std::string& file)
{
    std::vector<std::vector<std::pair<std::string, Unknown>>> keyed;
    std::map<std::string, std::size_t> columns; // by key: in whatever order points are listed
    for (const DrawnPoint& point : points) {
        const topologies::Machine machine = machine_of(point.study, file);
        const AlxWorkload workload = alx_workload_of(point.study, file, machine);
        points_.push_back({what_if_of(workload, machine), {}});
        keyed.emplace_back();
        for (Unknown& unknown : unknowns_of(points_.back().job)) {
            const std::string key =
                unknown.of == UnknownOf::run ? unknown.name + " [" + point.run + "]" : unknown.name;
            columns.emplace(key, 0);
            keyed.back().emplace_back(key, std::move(unknown));
        }
    }
    for (auto& [key, column] : columns) {
        column = unknowns_.size();
        unknowns_.push_back({key, {}});
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
        for (auto& [key, unknown] : keyed[i]) {
            const std::size_t column = columns.at(key);
            if (!unknowns_[column].unknown.set) {
                unknowns_[column].unknown = unknown;
            }
            points_[i].settings.push_back({column, std::move(unknown)});
        }
    }
}

std::vector<DrawnWorlds::World> DrawnWorlds::prior(int draws, std::uint64_t seed) const
{
    std::vector<World> worlds(static_cast<std::size_t>(draws), World(unknowns_.size()));
    for (std::size_t column = 0; column < unknowns_.size(); ++column) {
        const std::vector<double> quantiles =
            model::latin_column(draws, seed, unknowns_[column].key);
        for (std::size_t i = 0; i < worlds.size(); ++i) {
            worlds[i][column] = quantiles[i];
        }
    }
    return worlds;
}

WhatIf DrawnWorlds::job_in(std::size_t point, const World& world) const
{
    WhatIf job = points_[point].job;
    for (const Setting& setting : points_[point].settings) {
        setting.unknown.set(job, setting.unknown.at(world[setting.column]));
    }
    return job;
}

PointFigures DrawnWorlds::figures(std::size_t point, const World& world) const
{
    const DrawnEstimate estimated = estimate_with_memory(job_in(point, world));
    return {estimated.fits, estimated.epoch};
}

Seconds DrawnWorlds::op_seconds(std::size_t point, const model::Op& op, const World& world) const
{
    return to_seconds(
        model::explain_op(op, without_host_program(machine_of(job_in(point, world)))).closed_form);
}

} // namespace alxsim::experiments
