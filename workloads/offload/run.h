// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_run.h"
#include "workloads/offload/numbers/offloaded_model.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::offload {

class OffloadWorkload;

/// Where the file of a run's layers is: beside its checkpoint, or in a folder of its own that goes
/// with it where there is none.
class RunStore {
public:
    /// Throws std::system_error where no folder can be made.
    explicit RunStore(const std::string& checkpoint);
    ~RunStore();
    RunStore(const RunStore&) = delete;
    RunStore& operator=(const RunStore&) = delete;

    const std::string& path() const { return path_; }
    void remove_file() const;
    /// Says whether a file beside a checkpoint is there for a run that goes on.
    void keep(bool kept) { kept_ = kept; }

private:
    std::string folder_; ///< a temporary one; "" for none
    std::string path_;
    bool kept_ = true;
};

/// Training with its numbers, whose layers stand in a store. That goes when results are written.
class OffloadRun : public spmd::StepRun {
public:
    /// Throws InputError for a store that is no match for the checkpoint that it resumes from.
    OffloadRun(const OffloadWorkload& workload, const workloads::RunOptions& options);
    void write_exports() const override;

private:
    std::vector<double> compute(int step, HostPool& pool) override;
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override;
    /// All that a step leaves stands in the store.
    std::vector<spmd::MemoryPart> memory() override { return {}; }
    void open_store();

    const OffloadWorkload& workload_;
    std::string text_;
    const bool exports_;
    mutable RunStore store_; ///< outlives the model, which has its file open
    std::unique_ptr<OffloadedModel> model_;
};

} // namespace alxsim::offload
