// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/device_mesh.h"
#include "alx/steps/prepared_links.h"
#include "alx/training/table_quality.h"
#include "alx/training/training_tables.h"
#include "base/host_pool.h"
#include "base/json_document.h"
#include "model/graph/program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// What one half of an epoch does, over the whole job where it says so.
struct HalfCounters {
    std::int64_t batches = 0;         ///< of an epoch, without those that pad the devices
    std::int64_t padding_batches = 0; ///< of an epoch, to fill the last step's devices
    std::int64_t steps = 0;           ///< of an epoch
    double density = 0;               ///< share of the batches' slots that hold a link
    double links_lost = 0;            ///< share of all links, of rows longer than a batch
    std::int64_t solved_rows = 0;     ///< of an epoch
    std::int64_t iterations_max = 0;  ///< of any system so far
    std::int64_t iterations_sum = 0;  ///< over all systems so far
    std::int64_t systems = 0;         ///< solved so far
};

struct TrainingCounters {
    std::int64_t links = 0; ///< of the training matrix
    HalfCounters rows;
    HalfCounters columns;
};

/// Throws the InputError with which a TrainingRun would refuse its test rows or initial tables.
void check_training(const AlxConfig& config, const Dataset& data, const InitialTables& initial,
                    const TablePlacement& placement, const DeviceMesh& mesh);

/// An ALX training job as a sequence of steps: per epoch the row half's batch steps, the rows'
/// Gramian, the column half's batch steps, the columns' Gramian. `next` does a step's numerics on
/// the host pool before it returns the step. Gramians of both initial tables are computed at the
/// start, outside any step. All numbers are the same bits for any number of host threads, any
/// scatter, overlap and gather strategy that makes no sums apart; with such, and between numbers of
/// row shards and placements, they agree up to the rounding of sums.
class TrainingRun : public model::StepSource {
public:
    /// Called after each step: the epoch (from 1) and the share of it that is done.
    using Progress = std::function<void(int epoch, double fraction)>;
    /// Called when a half's table and its Gramian are complete: the half, from 0 over the whole
    /// job.
    using HalfDone = std::function<void(std::int64_t half)>;

    /// `data` and `pool` must outlive the run. Rows and columns that are no examples (test rows
    /// among them) are never solved for: they keep their initial values, which are zeros with
    /// PhantomRows::zero unless `initial` gives them others. Without epochs, the initial tables are
    /// evaluated. `halves`: what timing has prepared of the same job; made anew if null. Throws
    /// InputError for a bad configuration or a row that does not fit a batch.
    TrainingRun(const AlxConfig& config, const Dataset& data, const DeviceMesh& mesh,
                HostPool& pool, const InitialTables* initial = nullptr,
                std::shared_ptr<const PreparedHalves> halves = nullptr);
    ~TrainingRun() override;
    TrainingRun(const TrainingRun&) = delete;
    TrainingRun& operator=(const TrainingRun&) = delete;

    std::optional<model::Step> next() override;
    /// Keeps what a later run of the same job needs to go on after the last complete epoch, see
    /// write_checkpoint().
    void keep(const std::string& path, const Json& key) const;
    /// Goes on from what was kept, before the first step, if there is something for `key`. `next`
    /// then yields the steps of the epochs that are done with the counts that they had, without
    /// their numerics, so that times, too, are those of an unbroken run. Throws as
    /// read_checkpoint().
    void resume(const std::string& path, const Json& key);
    void on_progress(Progress progress);
    /// Called after each epoch (from 1), with its evaluation.
    void on_epoch(std::function<void(int epoch)> epoch_done);
    void on_half(HalfDone half_done);

    /// One entry per evaluated epoch so far.
    const std::vector<EpochQuality>& quality() const;
    /// Whether the columns' table began as zeros, of which no training leads away.
    bool began_as_zeros() const;
    /// Returns the quality of the tables as they are in the end: of the best epoch where that is
    /// kept, else the last.
    const EpochQuality& final_quality() const;
    /// Recall of recommending the most linked columns to all rows; absent without test rows.
    std::optional<std::vector<double>> popularity() const;
    /// To the test rows, from the tables as they are.
    Recommendations recommendations() const;
    /// To rows with these links, [rows x columns].
    Recommendations recommendations(const SparseMatrix& history) const;
    double objective() const;
    TrainingCounters counters() const;

    /// 16 hexadecimal digits: of all numbers of both tables as they are, phantom rows left out. The
    /// same on every CPU, and with any number of host threads.
    std::string tables_digest() const;
    /// Sketches both tables as they are.
    std::vector<workloads::MatrixSketch> sketches() const;
    const FactorTable& rows() const;
    const FactorTable& columns() const;
    /// [dim x dim], row-major, as last computed.
    const std::vector<double>& row_gramian() const;
    const std::vector<double>& column_gramian() const;
    /// Iterations of each device's slowest system: [half][step][device]; 0 for a direct solver.
    using Iterations = std::vector<std::vector<std::vector<std::int32_t>>>;
    const Iterations& iterations() const;
    const SparseMatrix& links_by_column() const;
    const DenseBatches& row_batches() const;
    const DenseBatches& column_batches() const;

private:
    void tell_progress() const;

    struct State;
    std::unique_ptr<State> state_;
};

} // namespace alxsim::alx
