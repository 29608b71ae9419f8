// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/infer/statements.h"
#include "experiments/points/uncertainty/uncertain_job.h"
#include "model/graph/op_graph.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// An unknown of a world: of a machine or the code once, of a run once for each run.
struct WorldUnknown {
    std::string key; ///< the unknown's name; "name [run]" of a run's own
    Unknown unknown; ///< as the first point that has it sees it
};

/// A point in one world.
struct PointFigures {
    bool fits = false;
    model::Breakdown epoch; ///< empty where it does not fit
};

/// Points whose unknowns are those of common worlds: a world is one quantile for each unknown.
class DrawnWorlds {
public:
    /// Builds the jobs. Throws InputError.
    explicit DrawnWorlds(const std::vector<DrawnPoint>& points);

    const std::vector<WorldUnknown>& unknowns() const { return unknowns_; }
    std::size_t points() const { return points_.size(); }
    /// What the times of a point are of.
    std::string interval(std::size_t point) const { return points_.at(point).job.interval(); }

    /// [unknowns()]
    using World = std::vector<double>;
    /// Latin-hypercube columns, one for each unknown by its key.
    std::vector<World> prior(int draws, std::uint64_t seed) const;

    /// The analytic model of one point in one world. Safe to call from many threads.
    PointFigures figures(std::size_t point, const World& world) const;

    /// A figure of the point's workload that is no time, in one world. Safe to call from many
    /// threads.
    double workload_figure(std::size_t point, const std::string& name, const World& world) const;

    /// The closed form of one op by itself on the point's machine in one world, no host program
    /// around it. Safe to call from many threads. Throws InputError for work that the machine
    /// cannot do.
    Seconds op_seconds(std::size_t point, const model::Op& op, const World& world) const;

private:
    struct Point {
        UncertainJob job;
        std::vector<std::size_t> columns; ///< in a world, of each of the job's unknowns
    };

    UncertainJob::Values values_in(const Point& point, const World& world) const;

    std::vector<WorldUnknown> unknowns_;
    std::vector<Point> points_;
};

} // namespace alxsim::experiments
