// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/path_uses.h"

#include "base/text/printed.h"
#include "model/costs/op_cost.h"
#include "model/graph/buffer_placement.h"
#include "model/graph/for_each_op.h"
#include "topologies/memory_tier.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

using topologies::Tier;

class Counter {
public:
    Counter(const topologies::Machine& machine, PathUses& uses) : machine_(machine), uses_(uses) {}

    void count(const model::StepGroup& group)
    {
        const model::OpGraph& graph = *group.step.graph;
        const auto below_hbm = [](const model::Op& op) {
            const auto* copy = std::get_if<model::Copy>(&op.work);
            return copy != nullptr && copy->with_host();
        };
        if (!model::any_op(graph, below_hbm)) {
            return;
        }
        const model::BufferPlacement placement = model::place(graph, machine_.device);
        model::for_each_op(graph, group.times, model::RoundsOfFirstDevice{group.step.counts},
                           [&](const model::Op& op, std::int64_t times) {
                               if (below_hbm(op)) {
                                   add(op, placement, times);
                               }
                           });
    }

private:
    void add(const model::Op& op, const model::BufferPlacement& placement, std::int64_t times)
    {
        const auto& copy = std::get<model::Copy>(op.work);
        const model::OpCost cost = model::op_cost(op, placement, machine_);
        if (cost.unit == model::Unit::host) {
            return; // a batch that comes ahead of the device
        }
        const double seconds = to_seconds(cost.fill + cost.body).count();
        report::PathUse& path =
            path_between(std::string(name_of(copy.from)), std::string(name_of(copy.to)));
        path.bytes += copy.bytes.count() * times;
        path.busy_seconds += seconds * static_cast<double>(times);
        if (!uses_.host_memory) {
            uses_.host_memory.emplace();
        }
        uses_.host_memory->bytes += model::bytes_in_host_memory(copy).count() * times;
    }

    report::PathUse& path_between(const std::string& from, const std::string& to)
    {
        const auto known =
            std::find_if(uses_.paths.begin(), uses_.paths.end(),
                         [&](const auto& path) { return path.from == from && path.to == to; });
        return known != uses_.paths.end() ? *known
                                          : uses_.paths.emplace_back(report::PathUse{from, to});
    }

    const topologies::Machine& machine_;
    PathUses& uses_;
};

} // namespace

PathUses path_uses(const model::Program& interval, double seconds,
                   const topologies::Machine& machine)
{
    PathUses uses;
    Counter counter(machine, uses);
    for (const model::StepGroup& group : interval) {
        counter.count(group);
    }
    for (report::PathUse& path : uses.paths) {
        path.busy_share = path.busy_seconds / seconds;
    }
    const topologies::MemoryTier memory = topologies::memory_tier(machine, Tier::host);
    if (uses.host_memory && memory.bytes_per_second > 0) {
        uses.host_memory->busy_seconds =
            static_cast<double>(uses.host_memory->bytes) /
            (memory.bytes_per_second / devices_sharing(machine, memory.shared_by));
        uses.host_memory->busy_share = uses.host_memory->busy_seconds / seconds;
    }
    return uses;
}

std::optional<std::string> host_memory_note(const report::Result& result)
{
    if (!result.host_memory || !(result.host_memory->busy_share > 1)) {
        return std::nullopt;
    }
    return "what passes through the host's memory takes it " +
           printed("%.2f times as long as ", result.host_memory->busy_share) +
           report::interval_words(result).with_article() +
           " is said to take: each path is timed as if it had the memory's rate alone, so that it "
           "takes up to so much longer";
}

} // namespace alxsim::experiments
