// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"
#include "workloads/offload/layer_ops.h"
#include "workloads/workload.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::offload {

/// Training of a transformer on one device, whose layers stand below HBM.
class OffloadWorkload : public workloads::Workload {
public:
    OffloadWorkload(OffloadConfig config, const topologies::Machine& machine);

    const OffloadConfig& config() const { return config_; }
    std::string interval() const override { return "training step"; }
    int intervals() const override { return config_.model.steps; }
    const model::Program& program() const override { return program_; }
    workloads::Description describe() const override;
    std::vector<std::string> notes() const override;
    std::optional<workloads::UsefulWork> useful_work() const override;
    workloads::Choices choices() const override;
    Bytes state_bytes() const override;
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override;
    void check_start() const override;
    Bytes host_memory() const override;
    Seconds host_time() const override;

    /// In which the optimizer takes layers.
    const OptimizerOrder& order() const { return order_; }

private:
    OffloadConfig config_;
    topologies::Machine machine_;
    LayerBytes layer_;
    std::shared_ptr<const StepOps> ops_;
    OptimizerOrder order_;
    model::Program program_;
};

/// What `advise` may decide: the schedule, input and output, prefetch, buffers.
workloads::Choices choices_of(const OffloadConfig& config);
std::vector<std::string> choice_names();

} // namespace alxsim::offload
