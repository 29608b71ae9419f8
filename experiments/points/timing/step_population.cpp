// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/step_population.h"

#include "model/graph/op_graph.h"

#include <algorithm>

namespace alxsim::experiments {

void StepPopulation::add(const model::Step& step, std::int64_t times)
{
    if (times == 0) {
        return;
    }
    const auto [found, is_new] =
        kind_of_name_.emplace(step.graph->name, static_cast<int>(kinds_.size()));
    if (is_new) {
        kinds_.emplace_back();
    }
    Kind& kind = kinds_[static_cast<std::size_t>(found->second)];
    if (!kind.runs.empty()) {
        const model::Step& first = runs_[kind.runs.front()].step;
        kind.equal = kind.equal && first.graph == step.graph && first.counts == step.counts;
    }
    kind.runs.push_back(runs_.size());
    kind.firsts.push_back(kind.size);
    kind.size += times;
    const auto control = static_cast<double>(job_.add(step, times).count());
    kind.shortest = kind.runs.size() == 1 ? control : std::min(kind.shortest, control);
    longest_stage_ = std::max(longest_stage_, job_.infeed().longest());
    longest_batch_ = std::max(longest_batch_, job_.infeed().sum());
    runs_.push_back({step, size_, times, found->second, control});
    size_ += times;
}

std::int64_t StepPopulation::index_of(int kind, std::int64_t member) const
{
    const Kind& members = kinds_[static_cast<std::size_t>(kind)];
    const auto after = std::upper_bound(members.firsts.begin(), members.firsts.end(), member);
    const auto at = static_cast<std::size_t>(after - members.firsts.begin()) - 1;
    return runs_[members.runs[at]].first + member - members.firsts[at];
}

bool StepPopulation::host_catches_up_within(std::int64_t steps, std::int64_t few) const
{
    const model::HostLink host(machine_);
    return std::all_of(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
        const Picoseconds on_device(static_cast<std::int64_t>(kind.shortest));
        return kind.size <= few ||
               host.catches_up_within(steps, on_device, longest_stage_, longest_batch_);
    });
}

ControlTotals StepPopulation::controls_of(int kind, const std::set<std::int64_t>& left_out,
                                          int epoch) const
{
    ControlTotals totals;
    const auto add = [&](const Run& run, std::int64_t times) {
        if (epoch == 0 || run.step.epoch == epoch) {
            totals.count += times;
            totals.sum += run.control * static_cast<double>(times);
        }
    };
    for (const std::size_t run : kinds_[static_cast<std::size_t>(kind)].runs) {
        add(runs_[run], runs_[run].times);
    }
    for (const std::int64_t index : left_out) {
        if (kind_of(index) == kind) {
            add(run_at(index), -1);
        }
    }
    return totals;
}

const StepPopulation::Run& StepPopulation::run_at(std::int64_t index) const
{
    const auto after =
        std::upper_bound(runs_.begin(), runs_.end(), index,
                         [](std::int64_t place, const Run& run) { return place < run.first; });
    return *std::prev(after);
}

} // namespace alxsim::experiments
