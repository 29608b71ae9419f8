// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"
#include "workloads/transformer/config.h"

#include <string>

namespace alxsim::transformer {

/// The products beside which tokens are gathered and sums scattered, as config.tensor_overlap says
/// for this machine. compiled: those whose time in a ring is estimated to be shorter, by the rule
/// of XLA's partitioner (spmd/dot_handler.cc, GetWindowedEinsumConfiguration): the longer of
/// products and permutes and the permutes at an end, against products and collective one after the
/// other. None where a core computes nothing during permutes, where tensor lies along several axes
/// of the slice, of products in 8 bits, and unless tokens are dealt (1d_sequence).
CutProducts products_in_rings(const TransformerConfig& config, const topologies::Machine& machine);

/// "tokens go round beside the products of qkv, fc1 ..": of the config's `in_rings`; "" for none.
std::string words_of_rings(const TransformerConfig& config);

} // namespace alxsim::transformer
