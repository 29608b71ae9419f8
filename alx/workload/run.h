// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/training/training.h"
#include "alx/workload/export.h"
#include "base/host_pool.h"
#include "workloads/workload.h"

#include <memory>
#include <optional>
#include <vector>

namespace alxsim::alx {

class AlxWorkload;

/// In results, what best_epoch_json() says.
constexpr const char* best_epoch_field = "best_epoch";
/// In results, the first epoch after which the tables hold nothing, until the end.
constexpr const char* collapsed_field = "collapsed_since_epoch";
/// In results, true where the objective of the tables is no number.
constexpr const char* not_finite_field = "objective_not_finite";

/// A training run, with its checkpoints and exports.
class AlxRun : public workloads::Run {
public:
    /// The workload has links and outlives the run.
    AlxRun(const AlxWorkload& workload, const workloads::RunOptions& options);

    std::optional<model::Step> next() override { return run_.next(); }
    /// Objective and recall of each evaluated epoch.
    std::vector<workloads::IntervalMetrics> metrics() const override;
    /// tables_digest, sketches, popularity, recommended, best_epoch.
    Json results() const override;
    std::optional<int> kept_interval() const override;
    /// quality_notes().
    std::vector<std::string> notes() const override;
    /// Returns the counters of both halves.
    Json counters() const override;
    /// With the CG iterations that the run counted.
    std::shared_ptr<const workloads::Workload> as_counted() const override;
    void write_exports() const override;

private:
    void keep_epochs(const workloads::RunOptions& options);

    const AlxWorkload& workload_;
    HostPool pool_;
    TrainingRun run_;
    std::optional<Export> export_;
};

} // namespace alxsim::alx
