// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/solvers/normal_equations.h"
#include "alx/solvers/sharded_gramian.h"
#include "alx/steps/half_plan.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/gather_numbers.h"
#include "alx/strategies/scatter.h"
#include "alx/tables/factor_table.h"
#include "model/graph/counts.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::model {
struct OpGraph;
} // namespace alxsim::model

namespace alxsim::alx {

/// What a half works on. All referenced objects outlive it, and so do its batches.
struct HalfInputs {
    std::string own;           ///< "rows" or "columns": the table that is solved for
    std::string fixed;         ///< the other one
    const SparseMatrix& links; ///< by rows of the own table
    FactorTable& own_table;
    const FactorTable& fixed_table;
    const ShardedGramian& fixed_gramian;
    std::int64_t fixed_count = 0; ///< rows of the fixed table that take part in training
};

/// The steps of one half of every epoch, with their numerics: those of its gather, its statistics,
/// its solver and its scatter, row by row. As the fixed table stays as it is, rows that a device
/// would have gathered before are read when they are summed. The effects of all graphs work on the
/// step that was prepared last.
class HalfRun {
public:
    HalfRun(const AlxConfig& config, const DeviceMesh& mesh, const HalfInputs& inputs,
            const DenseBatches& batches);

    std::int64_t steps() const { return plan_.steps(); }
    PlannedStep planned(std::int64_t step) const { return plan_.step(step); }
    const DenseBatches& batches() const { return plan_.batches(); }
    std::shared_ptr<const model::OpGraph> graph(std::int64_t step) { return plan_.graph(step); }

    /// To be called when the fixed table and its Gramian are what the half shall see.
    void begin();
    /// Deals the batches of step k to the devices.
    void prepare(std::int64_t step);
    /// What the prepared step's numerics counted, if it solved anything, and the running totals.
    model::Counts count();
    /// Iterations of each device's slowest system in the step that was counted last.
    const std::vector<std::int64_t>& slowest() const { return slowest_; }

    /// The counts of a step whose numerics ran before: `slowest` as above.
    model::Counts counts_of(const std::vector<std::int64_t>& slowest) const;
    /// Takes over running totals.
    void set_totals(std::int64_t iterations_max, std::int64_t iterations_sum, std::int64_t systems);

    std::int64_t iterations_max() const { return iterations_max_; }
    std::int64_t iterations_sum() const { return iterations_sum_; }
    std::int64_t systems() const { return systems_; }

private:
    /// One device's part of the batch step that is solved.
    struct DeviceBatch {
        BatchRange range;
        RowStore solutions;                   ///< [rows], as they travel
        std::vector<std::int64_t> iterations; ///< [rows]
        /// The last row's, where that goes on in the device's next batch.
        std::unique_ptr<PartialStatistics> carried;
    };
    void deal(std::int64_t batch_step);
    HalfEffects effects();
    /// A whole row of a batch, with its links.
    struct WholeRow {
        std::vector<std::int32_t> ids;
        std::vector<float> weights; ///< in their order; empty: all are 1
        GatheredRows links;
        std::int64_t slot = 0;
    };
    void solve(DeviceBatch& batch, std::int64_t begin, std::int64_t end);
    void solve(DeviceBatch& batch, const std::array<WholeRow, 2>& rows, std::size_t count);
    void scatter(int device, std::int64_t begin, std::int64_t end);

    AlxConfig config_;
    HalfInputs inputs_;
    std::unique_ptr<const GatherNumbers> gather_;
    std::unique_ptr<const ScatterStrategy> scatter_;
    NormalEquations equations_;
    HalfPlan plan_;
    std::vector<DeviceBatch> dealt_; ///< [devices]
    PlannedStep now_;
    ScatteredRows scattered_;           ///< of the batches that are solved
    std::vector<std::int64_t> slowest_; ///< [devices]
    std::int64_t iterations_max_ = 0;
    std::int64_t iterations_sum_ = 0;
    std::int64_t systems_ = 0;
};

} // namespace alxsim::alx
