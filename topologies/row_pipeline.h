// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/preset.h"

#include <optional>

namespace alxsim::topologies {

/// How a TensorCore gathers rows from HBM: block by block, 64 transfers in flight, and at the end
/// of a block all have arrived (machine code of libtpu 0.0.42.1). What a block waits for beyond its
/// bundles follows from the latency of a DMA alone.
struct GatherPipeline {
    double cycles = 0; ///< bundles of a block
    double rows = 0;   ///< of a block
    /// Latency that bundles hide of the first two transfers that a block waits for; of the third,
    /// the drain, they hide nothing.
    Seconds first_hidden{0};
    Seconds second_hidden{0};

    /// (cycles / clock + (L - first)+ + (L - second)+ + L) / rows.
    Seconds row(double clock_hz, Seconds latency) const;
};

/// How it scatters rows to HBM: group by group, none beside another: all are read, waited for,
/// added to, and those of the shard are written and waited for.
struct ScatterPipeline {
    double cycles = 0; ///< bundles of a group
    double rows = 0;   ///< of a group

    /// (cycles / clock + L) / rows: of a group that writes nothing.
    Seconds row(double clock_hz, Seconds latency) const;
};

/// Where "gather_row_s" or "scatter_row_s" of a preset is `derived`, they follow from blocks and
/// latency; absent where it is a figure of its own (overridden, assumed, calibrated).
std::optional<GatherPipeline> gather_pipeline(const Preset& preset);
std::optional<ScatterPipeline> scatter_pipeline(const Preset& preset);

/// Whether the value is one of the two and follows from the latency of a DMA: no unknown of its
/// own.
bool follows_dma_latency(const Preset& preset, const std::string& key);

} // namespace alxsim::topologies
