// SPDX-License-Identifier: Apache-2.0
#include "model/graph/effects.h"

#include "base/work/stop.h"
#include "model/graph/effects_of_roles.h"
#include "model/graph/op_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace alxsim::model {
namespace {

/// Small enough to share out one device's batch, large enough to hide the pool's own cost.
constexpr std::int64_t items_per_chunk = 8;

struct Chunk {
    int device;
    std::int64_t begin;
    std::int64_t end;
};

} // namespace

void run_effect(const Effect& effect, int devices, HostPool& pool)
{
    std::vector<int> all(static_cast<std::size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    run_effect(effect, all, pool);
}

void run_effect(const Effect& effect, const std::vector<int>& devices, HostPool& pool)
{
    look_for_stop();
    std::vector<Chunk> chunks;
    for (const int device : effect.once_for_group ? std::vector<int>{0} : devices) {
        const std::int64_t items = effect.items ? effect.items(device) : 1;
        for (std::int64_t begin = 0; begin < items; begin += items_per_chunk) {
            chunks.push_back({device, begin, std::min(items, begin + items_per_chunk)});
        }
    }
    pool.for_chunks(static_cast<std::int64_t>(chunks.size()), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) {
                            const Chunk& chunk = chunks[static_cast<std::size_t>(i)];
                            effect.run(chunk.device, chunk.begin, chunk.end);
                        }
                    });
}

void run_effects(const OpGraph& graph, int devices, HostPool& pool)
{
    if (!graph.roles.empty()) {
        run_effects_of_roles(graph, pool);
        return;
    }
    for (const Op& op : graph.ops) {
        if (op.effect) {
            run_effect(*op.effect, devices, pool);
        }
    }
}

std::shared_ptr<const Effect> device_effect(std::function<void(int device)> run)
{
    return std::make_shared<const Effect>(Effect{
        {}, [run = std::move(run)](int device, std::int64_t, std::int64_t) { run(device); }});
}

std::shared_ptr<const Effect> group_effect(std::function<void()> run)
{
    return std::make_shared<const Effect>(
        Effect{{}, [run = std::move(run)](int, std::int64_t, std::int64_t) { run(); }, true});
}

} // namespace alxsim::model
