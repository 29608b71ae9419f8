// SPDX-License-Identifier: Apache-2.0
#include "topologies/row_pipeline.h"

#include "topologies/preset_reader.h"

#include <algorithm>

namespace alxsim::topologies {
namespace {

double beyond(Seconds latency, Seconds hidden)
{
    return std::max(0.0, latency.count() - hidden.count());
}

bool is_derived(const Preset& preset, const char* row, const char* block)
{
    return preset.has(block) && preset.at(row).kind == "derived";
}

} // namespace

Seconds GatherPipeline::row(double clock_hz, Seconds latency) const
{
    return Seconds((cycles / clock_hz + beyond(latency, first_hidden) +
                    beyond(latency, second_hidden) + latency.count()) /
                   rows);
}

Seconds ScatterPipeline::row(double clock_hz, Seconds latency) const
{
    return Seconds((cycles / clock_hz + latency.count()) / rows);
}

std::optional<GatherPipeline> gather_pipeline(const Preset& preset)
{
    if (!is_derived(preset, "gather_row_s", "gather_block_cycles")) {
        return std::nullopt;
    }
    const PresetReader read(preset);
    return GatherPipeline{read.positive("gather_block_cycles"), read.positive("gather_block_rows"),
                          read.seconds("gather_first_wait_hidden_s"),
                          read.seconds("gather_second_wait_hidden_s")};
}

std::optional<ScatterPipeline> scatter_pipeline(const Preset& preset)
{
    if (!is_derived(preset, "scatter_row_s", "scatter_group_cycles")) {
        return std::nullopt;
    }
    const PresetReader read(preset);
    return ScatterPipeline{read.positive("scatter_group_cycles"),
                           read.positive("scatter_group_rows")};
}

bool follows_dma_latency(const Preset& preset, const std::string& key)
{
    return (key == "gather_row_s" && is_derived(preset, "gather_row_s", "gather_block_cycles")) ||
           (key == "scatter_row_s" && is_derived(preset, "scatter_row_s", "scatter_group_cycles"));
}

} // namespace alxsim::topologies
