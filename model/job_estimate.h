// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/host_link.h"
#include "model/estimate.h"

#include <memory>
#include <vector>

namespace alxsim::model {

/// The analytic time of a job: its steps one after another, each with its device time, the
/// per-program overhead, and what sticks out of the host's dispatch and infeed, which run ahead as
/// in the simulator.
class JobEstimate {
public:
    explicit JobEstimate(const topologies::Machine& machine,
                         ScheduleTimes times = ScheduleTimes::exact);
    /// On the machine that `model` goes by; `model` outlives it.
    explicit JobEstimate(AnalyticModel& model);

    /// From now on it tells what a device does beside its work (AnalyticModel::tell_use()).
    void tell_use() { model_->tell_use(); }

    /// Appends `times` equal steps; the time of one of them on the device. Throws InputError for
    /// work that is not supported.
    Picoseconds add(const Step& step, std::int64_t times = 1);
    /// The same without counting bytes on links, which takes a fifth of the host's time.
    Picoseconds add_time(const Step& step, std::int64_t times = 1);

    /// What the host does for each step like the last one added.
    const InputTimes& infeed() const { return infeed_of_last_; }

    Breakdown total() const;
    /// On all ICI links together, so far.
    Bytes link_bytes() const { return link_bytes_; }

private:
    /// What a step spends before its ops, and between them, on what the host brings.
    struct StepWaits {
        Picoseconds dispatch{0};
        Picoseconds infeed{0};

        Picoseconds total() const { return dispatch + infeed; }
        StepWaits& operator+=(const StepWaits& other)
        {
            dispatch += other.dispatch;
            infeed += other.infeed;
            return *this;
        }
    };

    /// Returns the waits of the next step, for which the device is free at `now`.
    StepWaits waits_of_step(Picoseconds now, const InputTimes& infeed);
    NumberedBreakdown with_waits(NumberedBreakdown steps, const StepWaits& waits) const;

    explicit JobEstimate(std::shared_ptr<AnalyticModel> model);

    std::shared_ptr<AnalyticModel> model_;
    const topologies::Machine& machine_;
    HostLink host_;
    int dispatch_; ///< numbers of phases
    int infeed_;
    NumberedBreakdown total_;
    Bytes link_bytes_{0};
    InputTimes infeed_of_last_;
};

/// Time of a whole program.
Breakdown estimate(const Program& program, const topologies::Machine& machine,
                   ScheduleTimes times = ScheduleTimes::exact);
/// The same on the machine that `model` goes by.
Breakdown estimate(const Program& program, AnalyticModel& model);

} // namespace alxsim::model
