// SPDX-License-Identifier: Apache-2.0
#include "alx/half_run.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace alxsim::alx {

HalfRun::HalfRun(const AlxConfig& config, const HalfInputs& inputs, DenseBatches batches)
    : config_(config),
      inputs_(inputs),
      batches_(std::move(batches)),
      equations_(config),
      devices_(static_cast<std::size_t>(inputs.own_table.devices())),
      owned_(devices_.size())
{
    for (DeviceBatch& device : devices_) {
        device.gathered = RowStore(0, config.dim, config.table_dtype);
        device.solutions = RowStore(0, config.dim, config.exchange_dtype());
    }
    const HalfShape shape{inputs_.own, inputs_.fixed, batches_.geometry,
                          inputs_.own_table.shard_rows(), inputs_.fixed_table.shard_rows()};
    graph_ = std::make_shared<model::OpGraph>(
        half_step_graph(config, shape, inputs_.own_table.devices(), effects()));
}

std::int64_t HalfRun::steps() const
{
    return static_cast<std::int64_t>(batches_.batches.size() / devices_.size());
}

void HalfRun::begin()
{
    equations_.fix(inputs_.fixed_gramian.matrix(), inputs_.fixed_count);
}

std::int32_t HalfRun::row_of(const DeviceBatch& batch, std::int64_t slot) const
{
    return batches_.examples[static_cast<std::size_t>(batch.range.first + slot)];
}

void HalfRun::prepare(std::int64_t step)
{
    for (std::vector<OwnedSolution>& owned : owned_) {
        owned.clear();
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) {
        DeviceBatch& batch = devices_[d];
        batch.range = batches_.batches[static_cast<std::size_t>(step) * devices_.size() + d];
        batch.offsets.assign(1, 0);
        for (std::int64_t slot = 0; slot < batch.range.count; ++slot) {
            const std::int32_t row = row_of(batch, slot);
            batch.offsets.push_back(batch.offsets.back() + inputs_.links.length(row));
            owned_[static_cast<std::size_t>(inputs_.own_table.owner(row))].push_back(
                {static_cast<int>(d), slot});
        }
        batch.gathered.resize(batch.offsets.back());
        batch.solutions.resize(batch.range.count);
        batch.iterations.assign(static_cast<std::size_t>(batch.range.count), 0);
    }
}

model::Counts HalfRun::count()
{
    slowest_.clear();
    for (const DeviceBatch& batch : devices_) {
        std::int64_t most = 0;
        for (const std::int64_t iterations : batch.iterations) {
            most = std::max(most, iterations);
            iterations_sum_ += iterations;
        }
        slowest_.push_back(most);
        iterations_max_ = std::max(iterations_max_, most);
        systems_ += batch.range.count;
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
    const auto per_row = [this](void (HalfRun::*work)(DeviceBatch&, std::int64_t, std::int64_t)) {
        auto effect = std::make_shared<model::Effect>();
        effect->items = [this](int device) {
            return devices_[static_cast<std::size_t>(device)].range.count;
        };
        effect->run = [this, work](int device, std::int64_t begin, std::int64_t end) {
            (this->*work)(devices_[static_cast<std::size_t>(device)], begin, end);
        };
        return effect;
    };
    auto write = std::make_shared<model::Effect>();
    write->items = [this](int device) {
        return static_cast<std::int64_t>(owned_[static_cast<std::size_t>(device)].size());
    };
    write->run = [this](int device, std::int64_t begin, std::int64_t end) {
        scatter(device, begin, end);
    };
    return {per_row(&HalfRun::gather), per_row(&HalfRun::solve), write};
}

// The sum over devices of a row that one of them owns and zeros from all others is that row, bit
// for bit: so the combined rows are copied from their owners' shards, whatever the gather strategy.
void HalfRun::gather(DeviceBatch& batch, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t slot = begin; slot < end; ++slot) {
        const std::int32_t row = row_of(batch, slot);
        std::int64_t target = batch.offsets[static_cast<std::size_t>(slot)];
        for (const std::int32_t* id = inputs_.links.begin(row); id != inputs_.links.end(row);
             ++id) {
            batch.gathered.copy(target++, inputs_.fixed_table.store(), *id);
        }
    }
}

// Statistics and solve of a row go together, so that only one d x d matrix per host thread is alive
// instead of one per line and row of the batch.
void HalfRun::solve(DeviceBatch& batch, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t slot = begin; slot < end; ++slot) {
        const auto i = static_cast<std::size_t>(slot);
        const std::int64_t first = batch.offsets[i];
        batch.iterations[i] = equations_.solve(
            {&batch.gathered, nullptr, first, batch.offsets[i + 1] - first}, batch.solutions, slot);
    }
}

void HalfRun::scatter(int device, std::int64_t begin, std::int64_t end)
{
    RowStore& table = inputs_.own_table.store();
    std::vector<double> row(static_cast<std::size_t>(config_.dim));
    for (std::int64_t i = begin; i < end; ++i) {
        const OwnedSolution& owned =
            owned_[static_cast<std::size_t>(device)][static_cast<std::size_t>(i)];
        const DeviceBatch& batch = devices_[static_cast<std::size_t>(owned.device)];
        batch.solutions.get(owned.slot, row.data());
        if (config_.semantics.residual == Residual::strict) {
            table.add_residual(row_of(batch, owned.slot), row.data());
        } else {
            table.set(row_of(batch, owned.slot), row.data());
        }
    }
}

} // namespace alxsim::alx
