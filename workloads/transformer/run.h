// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/model_numbers.h"
#include "workloads/workload.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::transformer {

class TransformerWorkload;

/// Training with its numbers, step by step: each step's loss is known before its time.
class TransformerRun : public workloads::Run {
public:
    TransformerRun(const TransformerWorkload& workload, const workloads::RunOptions& options);

    std::optional<model::Step> next() override;
    /// Of every step the mean loss before its update, in nats a token, and e to its power.
    std::vector<workloads::IntervalMetrics> metrics() const override;
    Json counters() const override;
    /// DIR/NAME.npy of each parameter, put together from its shards.
    void write_exports() const override;

private:
    void keep() const;
    void resume();

    const TransformerWorkload& workload_;
    workloads::RunOptions options_;
    HostPool pool_;
    std::string text_;
    ModelNumbers model_;
    std::vector<double> losses_; ///< [step]
    int step_ = 0;
};

} // namespace alxsim::transformer
