// SPDX-License-Identifier: Apache-2.0
#include "alx/training/half_run.h"

#include "alx/strategies/gather.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {

namespace {

/// The weights of a row's links in the order that these were put into; empty: all are 1.
std::vector<float> weights_in_order(const SparseMatrix& links, std::int32_t row,
                                    const std::vector<std::int32_t>& ids)
{
    const float* const weights = links.weights_of(row);
    if (weights == nullptr) {
        return {};
    }
    if (std::is_sorted(ids.begin(), ids.end())) {
        return {weights, weights + ids.size()};
    }
    std::vector<std::int32_t> ascending = ids;
    std::sort(ascending.begin(), ascending.end());
    std::vector<float> ordered;
    for (const std::int32_t id : ids) {
        const auto place = std::lower_bound(ascending.begin(), ascending.end(), id);
        ordered.push_back(weights[place - ascending.begin()]);
    }
    return ordered;
}

} // namespace

HalfRun::HalfRun(const AlxConfig& config, const DeviceMesh& mesh, const HalfInputs& inputs,
                 const DenseBatches& batches)
    : config_(config),
      inputs_(inputs),
      gather_(gather_strategies().create(config.gather)->numbers(config, mesh)),
      scatter_(scatter_strategies().create(config.scatter)),
      equations_(config, batches.geometry),
      plan_(config, mesh,
            {inputs.own, inputs.fixed, inputs.links, inputs.own_table.map(),
             inputs.fixed_table.map()},
            batches, effects()),
      dealt_(static_cast<std::size_t>(mesh.devices))
{
    for (DeviceBatch& device : dealt_) {
        device.solutions = RowStore(0, config.dim, config.exchange_dtype());
    }
}

void HalfRun::begin()
{
    equations_.fix(inputs_.fixed_gramian.matrix(), inputs_.fixed_count);
}

void HalfRun::prepare(std::int64_t step)
{
    now_ = plan_.step(step);
    scattered_ = {};
    if (now_.solves != PlannedStep::nothing) {
        deal(now_.solves);
        scattered_ =
            scatter_->scatter({batches(), now_.solves, inputs_.own_table.map(), plan_.mesh()});
    }
}

void HalfRun::deal(std::int64_t batch_step)
{
    for (std::size_t d = 0; d < dealt_.size(); ++d) {
        DeviceBatch& batch = dealt_[d];
        const auto place = static_cast<std::size_t>(batch_step) * dealt_.size() + d;
        batch.range = batches().batches[place];
        batch.solutions.resize(batch.range.solved());
        batch.iterations.assign(static_cast<std::size_t>(batch.range.count), 0);
    }
}

model::Counts HalfRun::count()
{
    slowest_.clear();
    if (now_.solves == PlannedStep::nothing) {
        return {};
    }
    for (const DeviceBatch& batch : dealt_) {
        std::int64_t most = 0;
        for (const std::int64_t iterations : batch.iterations) {
            most = std::max(most, iterations);
            iterations_sum_ += iterations;
        }
        slowest_.push_back(most);
        iterations_max_ = std::max(iterations_max_, most);
        systems_ += batch.range.solved();
    }
    return counts_of(slowest_);
}

model::Counts HalfRun::counts_of(const std::vector<std::int64_t>& slowest) const
{
    const std::string counter = equations_.solver().counter();
    return counter.empty() ? model::Counts{} : model::Counts{{counter, slowest}};
}

void HalfRun::set_totals(std::int64_t iterations_max, std::int64_t iterations_sum,
                         std::int64_t systems)
{
    iterations_max_ = iterations_max;
    iterations_sum_ = iterations_sum;
    systems_ = systems;
}

HalfEffects HalfRun::effects()
{
    auto solve_rows = std::make_shared<model::Effect>();
    solve_rows->items = [this](int device) {
        return dealt_[static_cast<std::size_t>(device)].range.count;
    };
    solve_rows->run = [this](int device, std::int64_t begin, std::int64_t end) {
        solve(dealt_[static_cast<std::size_t>(device)], begin, end);
    };
    auto write_rows = std::make_shared<model::Effect>();
    write_rows->items = [this](int device) {
        return static_cast<std::int64_t>(
            scattered_.written[static_cast<std::size_t>(device)].size());
    };
    write_rows->run = [this](int device, std::int64_t begin, std::int64_t end) {
        scatter(device, begin, end);
    };
    return {solve_rows, write_rows};
}

// Gather, statistics and solve of a row go together, so that only one d x d matrix per host thread
// is alive instead of one per line and row of the batch, and no row is copied.
void HalfRun::solve(DeviceBatch& batch, std::int64_t begin, std::int64_t end)
{
    const FactorTable& fixed = inputs_.fixed_table;
    const std::size_t at_once = equations_.solves_by_two() ? 2 : 1;
    std::array<WholeRow, 2> waiting;
    std::size_t count = 0;
    for (std::int64_t slot = begin; slot < end; ++slot) {
        const RowPiece piece = batches().piece(batch.range, slot, inputs_.links);
        WholeRow& row = waiting[count];
        inputs_.links.read(piece.row, row.ids);
        std::vector<std::int64_t> part_ends = gather_->order(row.ids, fixed.map());
        row.links = {&fixed.store(), row.ids.data(), 0, static_cast<std::int64_t>(row.ids.size()),
                     std::move(part_ends)};
        row.weights = weights_in_order(inputs_.links, piece.row, row.ids);
        row.links.weights = row.weights.empty() ? nullptr : row.weights.data();
        row.slot = slot;
        if (!piece.whole()) {
            batch.iterations[static_cast<std::size_t>(slot)] =
                equations_.add(row.links, piece.end, batch.carried, batch.solutions, slot);
        } else if (++count == at_once) {
            solve(batch, waiting, std::exchange(count, 0));
        }
    }
    solve(batch, waiting, count);
}

void HalfRun::solve(DeviceBatch& batch, const std::array<WholeRow, 2>& rows, std::size_t count)
{
    const auto iterations_of = [&](std::size_t i) -> std::int64_t& {
        return batch.iterations[static_cast<std::size_t>(rows[i].slot)];
    };
    if (count == 1) {
        iterations_of(0) = equations_.solve(rows[0].links, batch.solutions, rows[0].slot);
    } else if (count == 2) {
        const auto iterations = equations_.solve_two({rows[0].links, rows[1].links},
                                                     batch.solutions, {rows[0].slot, rows[1].slot});
        iterations_of(0) = iterations[0];
        iterations_of(1) = iterations[1];
    }
}

void HalfRun::scatter(int device, std::int64_t begin, std::int64_t end)
{
    RowStore& table = inputs_.own_table.store();
    std::vector<double> row(static_cast<std::size_t>(config_.dim));
    for (std::int64_t i = begin; i < end; ++i) {
        const SolvedRow& solved =
            scattered_.written[static_cast<std::size_t>(device)][static_cast<std::size_t>(i)];
        dealt_[static_cast<std::size_t>(solved.device)].solutions.get(solved.slot, row.data());
        if (config_.semantics.residual == Residual::strict) {
            table.add_residual(solved.row, row.data());
        } else {
            table.set(solved.row, row.data());
        }
    }
}

} // namespace alxsim::alx
