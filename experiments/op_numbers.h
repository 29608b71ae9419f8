// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/op_graph.h"
#include "sim/hbm_model.h"
#include "topologies/machine.h"

#include <memory>
#include <string>

namespace alxsim::experiments {

/// What a graph takes alone on a machine, through SystemC.
Picoseconds simulated_time(std::shared_ptr<const model::OpGraph> graph,
                           const topologies::Machine& machine, sim::HbmModel hbm);

/// Whether `op` is work that computes numbers from .npy files: "solve" or "top_k".
bool computes_numbers(const Json& op);

/// Solves the systems of `op`, {"work":"solve","matrices","rhs"...}, and times the solver's ops on
/// a device that solves them all. Writes the solutions to `output` unless it is empty. Throws
/// InputError naming the file, what was found and what is needed.
Json solve_numbers(const Json& op, const topologies::Machine& machine, sim::HbmModel hbm,
                   const std::string& output);

/// The best k of each row of `op`, {"work":"top_k","scores","k"...}, by the released code's rules.
/// Scores of -inf are null.
Json top_k_numbers(const Json& op);

} // namespace alxsim::experiments
