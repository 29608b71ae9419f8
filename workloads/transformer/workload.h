// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/memo.h"
#include "spmd/step_workload.h"
#include "workloads/transformer/steps/built_step.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// Training of a transformer on a machine.
class TransformerWorkload : public spmd::StepWorkload {
public:
    /// `file`: the study's, for messages. Throws InputError for axes of the machine on which its
    /// mesh does not lie.
    TransformerWorkload(TransformerConfig config, const topologies::Machine& machine,
                        const std::string& file = "");

    const TransformerConfig& config() const { return config_; }
    std::string interval() const override;
    std::unique_ptr<workloads::Run> start(const workloads::RunOptions& options) const override;
    workloads::Description describe() const override;
    workloads::Choices choices() const override;
    std::optional<workloads::UsefulWork> useful_work() const override;
    topologies::InputRates input_rates() const override
    {
        return {config_.input_bytes_per_second, 0, false};
    }
    Bytes state_bytes() const override;
    void check_start() const override;
    std::vector<std::string> notes() const override;
    std::vector<workloads::Unknown> unknowns() const override;
    model::Program drawn(const workloads::DrawnValues& values) const override;
    Bytes host_memory() const override;
    Seconds host_time() const override;

private:
    std::vector<std::string> overlap_notes() const;

    TransformerConfig config_;
    std::string file_;
    mutable Memo<std::int64_t, model::Program> drawn_{256}; ///< by the imbalance of experts
};

/// Multiplications and additions of a step's forward and backward, as a model has them: 6 of every
/// parameter in a product for each token, and attention's 12 s h a layer and token; of what serves
/// a third of that, the forward's, and with s the tokens in the cache. What is computed again is
/// not counted.
double model_flops(const TransformerConfig& config);
/// What the numbers of all steps take one core of the host, about.
Seconds host_time_of(const TransformerConfig& config);

/// What `advise` may decide: sharding and mesh, recomputation, when gradients are summed.
workloads::Choices choices_of(const TransformerConfig& config, const topologies::Machine& machine);
std::vector<std::string> choice_names();

} // namespace alxsim::transformer
