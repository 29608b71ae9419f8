// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"

#include <memory>

namespace alxsim::model {

/// A role's graph in which the repeats that hold collectives of several roles are written out,
/// iteration by iteration, with the control of each: what roles meet in stands in a row. Others
/// that hold collectives, too, where those of several roles keep all of a device busy. Throws
/// InputError where that is more than a million ops.
/// The graph itself where that changes nothing.
std::shared_ptr<const CompiledGraph> unrolled(const std::shared_ptr<const CompiledGraph>& graph,
                                              const topologies::Machine& machine,
                                              const Counts& counts);

/// A graph in which the first iterations of the repeats beside others are written out likewise, and
/// the rest stands behind them as one repeat: a few hundred ops of each, those in bodies likewise,
/// while all are some ten thousand.
CompiledGraph with_repeats_beside_others_written_out(const CompiledGraph& graph,
                                                     const Counts& counts);

} // namespace alxsim::model
