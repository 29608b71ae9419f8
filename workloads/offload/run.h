// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_run.h"
#include "workloads/offload/numbers/offloaded_model.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::offload {

class OffloadWorkload;

/// Training with its numbers, whose layers stand in a file beside the checkpoint, or in one of the
/// system's temporary ones where there is none. It goes when the last step is done.
class OffloadRun : public spmd::StepRun {
public:
    /// Throws InputError for a store that is no match for the checkpoint that it resumes from.
    OffloadRun(const OffloadWorkload& workload, const workloads::RunOptions& options);
    ~OffloadRun() override;
    OffloadRun(const OffloadRun&) = delete;
    OffloadRun& operator=(const OffloadRun&) = delete;

    void write_exports() const override;

private:
    std::vector<double> compute(int step, HostPool& pool) override;
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override;
    /// All that a step leaves stands in the store.
    std::vector<spmd::MemoryPart> memory() override { return {}; }
    void open_store(const std::string& checkpoint);

    const OffloadWorkload& workload_;
    std::string text_;
    std::string folder_; ///< a temporary one; "" for none
    std::string store_;  ///< a file
    std::unique_ptr<OffloadedModel> model_;
};

} // namespace alxsim::offload
