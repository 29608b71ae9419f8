// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"

#include <string>

namespace alxsim::program {

/// Behind an op graph that `alxsim import` wrote to the file `graph`: how to run it on this
/// machine, by 'alxsim op' and as a study named `title`.
void print_how_to_run(const std::string& title, const std::string& graph,
                      const topologies::Machine& machine);

} // namespace alxsim::program
