// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "alx/workload/unknowns.h"
#include "workloads/workload.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace alxsim::alx {

/// An ALX job as the rest of the program knows it.
class AlxWorkload : public workloads::Workload {
public:
    /// `torus_axes`: of the slice that it runs on.
    AlxWorkload(Job job, int torus_axes);

    std::string interval() const override { return "epoch"; }
    int intervals() const override { return job_.config.epochs; }
    const model::Program& program() const override { return job_.program.epoch; }
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override;
    workloads::Description describe() const override;
    std::vector<std::string> notes() const override;
    workloads::Choices choices() const override;
    std::vector<workloads::Alternative> alternatives() const override;
    Bytes state_bytes() const override;
    model::Program evaluation() const override;
    int intervals_between_evaluations() const override;
    std::string phase_remark(const std::string& phase) const override;
    std::vector<workloads::Unknown> unknowns() const override;
    model::Program drawn(const workloads::DrawnValues& values) const override;
    topologies::InputRates input_rates() const override { return job_.config.input; }
    topologies::InputRates drawn_input_rates(const workloads::DrawnValues& values) const override;
    std::optional<double> figure(const std::string& name,
                                 const workloads::DrawnValues& values) const override;
    /// Links, each of which an epoch works on twice; see epoch_operations().
    std::optional<workloads::UsefulWork> useful_work() const override;
    void check_start() const override;
    Bytes host_memory() const override;
    Seconds host_time() const override;

    const Job& job() const { return job_; }
    int torus_axes() const { return torus_axes_; }

private:
    /// Listed when first asked for: a search makes thousands of jobs that are never sampled.
    const std::vector<JobUnknown>& listed_unknowns() const;

    Job job_;
    int torus_axes_;
    mutable std::once_flag listed_;
    mutable std::vector<JobUnknown> unknowns_;
};

} // namespace alxsim::alx
