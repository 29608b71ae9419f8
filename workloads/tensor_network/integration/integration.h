// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "workloads/tensor_network/integration/time_step.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::tensor_network {

/// What a study's integration asks for.
struct IntegrationRequest {
    Problem problem;
    IntegrationMethod method;
    std::string mode_name;
    std::int64_t points = 0; ///< of each axis
    double half_width = 0;   ///< of the grid [-half_width, half_width)
    int steps = 0;
    int reports = 0; ///< times that are reported beside the begin, evenly
    Method rounding = Method::svd;
    spmd::EigenMethod eigenvectors;
    int levels = 1;
    bool in_f64 = true;
    int passes = 6;
    /// Ranks of the density and of its coarse train, [d + 1], where nobody computes numbers; else
    /// empty.
    std::vector<std::int64_t> ranks, coarse_ranks;
    std::string key; ///< equal for requests with equal numbers

    bool has_numbers() const { return ranks.empty(); }
    bool is_reported(int step) const;
    std::vector<std::int64_t> sizes() const;
};

/// Reads /workload/tensor_network with step "integrate". Throws InputError.
IntegrationRequest integration_request_of(const Json& study, const std::string& file);

/// What a step decides about its shapes.
using StepDecisions = std::vector<std::int64_t>;
/// All steps of a request with numbers, as one device has them.
struct IntegrationRecord {
    std::vector<StepDecisions> decisions;    ///< [step]
    std::vector<std::vector<double>> states; ///< [step]: Integration::state() after it
};
/// Once for equal requests.
std::shared_ptr<const IntegrationRecord> integration_record_of(const IntegrationRequest& request);
/// Decides for a step with given ranks, which stay as they are.
StepDecisions assumed_step_decisions(const IntegrationRequest& request);

/// Returns, for the density before each step that is timed, the ranks that the step before it has
/// left.
std::vector<std::int64_t> ranks_after(const StepDecisions& decisions, std::size_t dimensions);

/// A step as it is timed, from a density of these ranks.
std::shared_ptr<const spmd::TimedStep> timed_time_step(const IntegrationRequest& request,
                                                       int devices,
                                                       const std::vector<std::int64_t>& ranks,
                                                       const StepDecisions& decisions);

/// A time that is reported.
struct DensityReport {
    double time = 0;
    std::vector<std::int64_t> ranks_fine, ranks_coarse; ///< at 1e-6 and 1e-3, of the inner bonds
    double error = 0;                                   ///< NaN: no exact solution
    double normal_before = 0, normal_after = 0;         ///< NaN: coordinates are fixed
    std::vector<double> gamma;

    Json json() const;
    /// As figures of a run, and back.
    std::vector<double> figures() const;
    static DensityReport of(const std::vector<double>& figures, std::size_t dimensions);
};

/// The numbers of an integration, step after step, on so many devices.
class Integration {
public:
    Integration(const IntegrationRequest& request, int devices);

    /// The next step; `given`: its decisions, null: the numbers decide. Returns them.
    StepDecisions advance(HostPool& pool, const StepDecisions* given);
    DensityReport report(HostPool& pool) const;
    const HostTrain& train() const { return train_; }
    /// What collectives have moved since it was last asked.
    spmd::MovedCounts take_moved() { return std::exchange(moved_, {}); }

    /// All that it is, as numbers: for a checkpoint.
    std::vector<double> state() const;
    void set_state(const std::vector<double>& state, int steps_done);

private:
    const IntegrationRequest& request_;
    int devices_;
    int done_ = 0;
    HostTrain train_;
    std::vector<double> gamma_;
    spmd::MovedCounts moved_;
};

} // namespace alxsim::tensor_network
