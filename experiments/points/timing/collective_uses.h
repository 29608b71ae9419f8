// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "model/meshes/mesh_search.h"
#include "topologies/machine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace alxsim::model {
struct Op;
} // namespace alxsim::model

namespace alxsim::experiments {

/// A collective of a program. Of a graph with roles, one in which several meet is one; its groups
/// are lists of ranks then, if it has no messages.
struct CollectiveUse {
    const model::Op& op;
    std::int64_t times = 0; ///< an interval runs it
    /// [device]; null: all do.
    const std::vector<bool>* takes_part = nullptr;
};

/// Calls `visit` for each collective of an interval's program, in program order. What it is given
/// lives while it is told.
void for_each_collective(const model::Program& interval, const topologies::Machine& machine,
                         const std::function<void(const CollectiveUse&)>& visit);

/// All that the collectives of an interval go by; nothing of an interval of many steps, and where
/// links are faulty. Points of a sweep that have the same share what is found of these.
using CollectivesKey =
    std::tuple<std::shared_ptr<const model::OpGraph>, std::int64_t, model::NetworkKey>;
std::optional<CollectivesKey> collectives_key(const model::Program& interval,
                                              const topologies::Machine& machine);

} // namespace alxsim::experiments
