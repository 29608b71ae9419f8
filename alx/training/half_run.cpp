// SPDX-License-Identifier: Apache-2.0
#include "alx/training/half_run.h"

#include "alx/strategies/gather.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace alxsim::alx {

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
      dealt_(static_cast<std::size_t>(plan_.prefetch_depth() + 1),
             DealtBatches(static_cast<std::size_t>(mesh.devices)))
{
    for (DealtBatches& devices : dealt_) {
        for (DeviceBatch& device : devices) {
            device.gathered = RowStore(0, config.dim, config.table_dtype);
            device.solutions = RowStore(0, config.dim, config.exchange_dtype());
        }
    }
}

void HalfRun::begin()
{
    equations_.fix(inputs_.fixed_gramian.matrix(), inputs_.fixed_count);
}

std::int32_t HalfRun::row_of(const DeviceBatch& batch, std::int64_t slot) const
{
    return batches().examples[static_cast<std::size_t>(batch.range.first + slot)];
}

HalfRun::DealtBatches& HalfRun::dealt(std::int64_t batch_step)
{
    return dealt_[static_cast<std::size_t>(batch_step) % dealt_.size()];
}

void HalfRun::prepare(std::int64_t step)
{
    now_ = plan_.step(step);
    if (now_.gathers != PlannedStep::nothing) {
        deal(now_.gathers);
    }
    if (now_.solves != PlannedStep::nothing) {
        scattered_ =
            scatter_->scatter({batches(), now_.solves, inputs_.own_table.map(), plan_.mesh()});
    }
}

void HalfRun::deal(std::int64_t batch_step)
{
    DealtBatches& devices = dealt(batch_step);
    for (std::size_t d = 0; d < devices.size(); ++d) {
        DeviceBatch& batch = devices[d];
        const auto place = static_cast<std::size_t>(batch_step) * devices.size() + d;
        batch.range = batches().batches[place];
        batch.offsets.assign(1, 0);
        for (std::int64_t slot = 0; slot < batch.range.count; ++slot) {
            batch.offsets.push_back(batch.offsets.back() +
                                    inputs_.links.length(row_of(batch, slot)));
        }
        batch.gathered.resize(batch.offsets.back());
        batch.solutions.resize(batch.range.count);
        batch.parts.assign(static_cast<std::size_t>(batch.range.count), {});
        batch.iterations.assign(static_cast<std::size_t>(batch.range.count), 0);
    }
}

model::Counts HalfRun::count()
{
    slowest_.clear();
    if (now_.solves == PlannedStep::nothing) {
        return {};
    }
    for (const DeviceBatch& batch : dealt(now_.solves)) {
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
    using Work = void (HalfRun::*)(DeviceBatch&, std::int64_t, std::int64_t);
    const auto per_row = [this](std::int64_t PlannedStep::*which, Work work) {
        auto effect = std::make_shared<model::Effect>();
        effect->items = [this, which](int device) {
            return dealt(now_.*which)[static_cast<std::size_t>(device)].range.count;
        };
        effect->run = [this, which, work](int device, std::int64_t begin, std::int64_t end) {
            (this->*work)(dealt(now_.*which)[static_cast<std::size_t>(device)], begin, end);
        };
        return effect;
    };
    auto write = std::make_shared<model::Effect>();
    write->items = [this](int device) {
        return static_cast<std::int64_t>(
            scattered_.written[static_cast<std::size_t>(device)].size());
    };
    write->run = [this](int device, std::int64_t begin, std::int64_t end) {
        scatter(device, begin, end);
    };
    return {per_row(&PlannedStep::gathers, &HalfRun::gather),
            per_row(&PlannedStep::solves, &HalfRun::solve), write};
}

void HalfRun::gather(DeviceBatch& batch, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t slot = begin; slot < end; ++slot) {
        const std::int32_t row = row_of(batch, slot);
        const auto i = static_cast<std::size_t>(slot);
        batch.parts[i] =
            gather_->gather({inputs_.links.begin(row), inputs_.links.end(row), batch.offsets[i]},
                            inputs_.fixed_table, batch.gathered);
    }
}

// Statistics and solve of a row go together, so that only one d x d matrix per host thread is alive
// instead of one per line and row of the batch.
void HalfRun::solve(DeviceBatch& batch, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t slot = begin; slot < end; ++slot) {
        const auto i = static_cast<std::size_t>(slot);
        const std::int64_t first = batch.offsets[i];
        const GatheredRows rows{&batch.gathered, nullptr, first, batch.offsets[i + 1] - first,
                                batch.parts[i]};
        batch.iterations[i] = equations_.solve(rows, batch.solutions, slot);
    }
}

void HalfRun::scatter(int device, std::int64_t begin, std::int64_t end)
{
    RowStore& table = inputs_.own_table.store();
    const DealtBatches& devices = dealt(now_.solves);
    std::vector<double> row(static_cast<std::size_t>(config_.dim));
    for (std::int64_t i = begin; i < end; ++i) {
        const SolvedRow& solved =
            scattered_.written[static_cast<std::size_t>(device)][static_cast<std::size_t>(i)];
        devices[static_cast<std::size_t>(solved.device)].solutions.get(solved.slot, row.data());
        if (config_.semantics.residual == Residual::strict) {
            table.add_residual(solved.row, row.data());
        } else {
            table.set(solved.row, row.data());
        }
    }
}

} // namespace alxsim::alx
