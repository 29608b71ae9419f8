// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_run.h"
#include "workloads/transformer/model_numbers.h"

#include <string>
#include <vector>

namespace alxsim::transformer {

class TransformerWorkload;

/// Training with its numbers, step by step: each step's loss is known before its time.
class TransformerRun : public spmd::StepRun {
public:
    TransformerRun(const TransformerWorkload& workload, const workloads::RunOptions& options);

    /// DIR/NAME.npy of each parameter, put together from its shards.
    void write_exports() const override;

private:
    std::vector<double> compute(int step, HostPool& pool) override;
    /// Returns of every step the mean loss before its update, in nats a token, and e to its power.
    std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const override;
    std::vector<spmd::MemoryPart> memory() override { return model_.memory(); }

    const TransformerWorkload& workload_;
    std::string text_;
    ModelNumbers model_;
};

} // namespace alxsim::transformer
