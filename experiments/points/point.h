// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/inputs/input_files.h"
#include "experiments/points/study/point_study.h"
#include "experiments/points/trace/trace_request.h"
#include "model/schedules/schedule_choice.h"
#include "report/report_fields.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// How one point is run.
struct PointOptions {
    int threads = 1;
    std::function<void(double)> progress;         ///< share done, may be empty
    std::function<void(const std::string&)> tell; ///< what people should know, may be empty
    /// File that keeps the last complete epoch; "" for none.
    std::string checkpoint;
    bool resume = false;       ///< from that checkpoint, if it is of the same job
    std::string export_folder; ///< where tables and more are written; "" for nowhere
    TraceRequest trace;        ///< of a point that is simulated
    /// Callback that gets the CPU time that the point is predicted to take; may be empty.
    std::function<void(Seconds)> predicted;
};

/// What a point yields.
struct PointResult {
    report::Point point;  ///< as in the report, without series, sweep, speedup and efficiency
    Json dataset;         ///< description of its input; null: none
    InputFiles inputs;    ///< what it was computed from, as its study names it
    bool refused = false; ///< its error is bad input; never of a point that is kept
    std::optional<report::HostUse> host = {}; ///< absent: it was not run, or not from its beginning
};

template <class Fields>
void list_fields(Fields& fields, PointResult& result)
{
    fields("point", result.point);
    fields("dataset", result.dataset);
    fields.unless_empty("inputs", result.inputs);
    fields("host", result.host);
}

/// What is known of a point before it is run.
struct Preview {
    report::Point point;
    Bytes host_memory{0}; ///< that a run keeps on the host that simulates it
    Seconds host_time{0}; ///< that a run takes of its CPUs, about (host_work.h)
    /// CPU time that this preview took, on this host: reading or drawing data, laying out a mesh,
    /// choosing schedules. A run does all of it again.
    Seconds host_setup{0};
};

/// Runs one point of a study in this process. A point that does not fit into HBM is a result, not
/// an error. Throws InputError for bad input.
PointResult run_point(const PointStudy& study, const PointOptions& options);

/// Predicts the host's memory for a point's links, tables and simulator, before any is read; 0 for
/// a point without numbers. Throws InputError.
Bytes predicted_memory(const PointStudy& study);

/// Estimates a point without running it: machine, memory, and the analytic time of an epoch.
/// `schedules` are those of PointOptions.
Preview preview_point(const PointStudy& study,
                      const std::shared_ptr<model::ScheduleBook>& schedules =
                          std::make_shared<model::ScheduleBook>());

} // namespace alxsim::experiments
