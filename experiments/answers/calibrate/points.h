// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "report/words.h"
#include "topologies/preset.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A measured time.
struct MeasuredFigure {
    std::string phase; ///< "" for the whole interval
    double seconds = 0;
    bool at_most = false; ///< no measurement but an upper bound
    /// Ops of the point's program by their names, whose time it is, all runs in a step; empty: it
    /// is of the whole interval or a phase.
    std::vector<std::string> ops = {};
};

/// A run on a real machine.
struct MeasuredPoint {
    std::string name;
    PointStudy study; ///< timing only
    std::vector<MeasuredFigure> figures;
    /// One op by itself, as `alxsim op` takes it, and no workload: the only figure is its.
    std::optional<Json> op = std::nullopt;
    double spread = 0; ///< of the figure, relative; 0: not known
};

/// The JSON Schema of a file of measured points.
const Json& measured_schema();

/// Reads measured points, each on the study's machine and workload but for what it says itself.
/// Throws InputError: not as measured_schema() wants it, another chip than the study's,
/// no study at all.
std::vector<MeasuredPoint> measured_points(const Study& study, const std::string& path);

/// Figures that are measurements and no bounds.
int count_measured(const std::vector<MeasuredPoint>& points);

/// What the analytic model says of each figure of a point, in seconds, with these preset values
/// on top of the point's own overrides. Throws InputError for a job that does not
/// fit and for a phase that it does not have.
std::vector<double> estimated_seconds(const MeasuredPoint& point, const Named<double>& values);

/// What the times of a point are of. Throws InputError.
report::IntervalWords interval_of(const MeasuredPoint& point);

/// Whether the study settles a preset value.
bool is_overridden(const MachineRequest& machine, const std::string& key);

/// A preset value that may be fitted.
struct FittedValue {
    std::string key;
    std::string unit;
    double low = 0, central = 0, high = 0;

    /// From 0 at `low` to 1 at `high`: in the logarithm, or straight where `low` is 0.
    double place_of(double value) const;
    double at(double place) const;
};

/// The value `key` of a preset; "KEY=LOW:HIGH": between limits of the user's own. Throws InputError
/// (exit code 2) if there is none, with the nearest right name, or if it has no band, or is a flag,
/// text, or a whole number without limits of its own.
FittedValue fitted_value(const topologies::Preset& preset, const std::string& key);

/// All that can be fitted and that are assumed; not those that the study overrides.
std::vector<FittedValue> assumed_values(const topologies::Preset& preset,
                                        const MachineRequest& machine);

} // namespace alxsim::experiments
