// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"

namespace alxsim::model {

struct OpGraph;

/// run_effects() of a graph with roles.
void run_effects_of_roles(const OpGraph& graph, HostPool& pool);

} // namespace alxsim::model
