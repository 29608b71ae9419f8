// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <optional>

namespace alxsim::hlo {

/// What the author of a kernel (Pallas) says that a call of it costs.
struct KernelCost {
    std::int64_t flops = 0, transcendentals = 0, bytes_accessed = 0, remote_bytes = 0;
};

/// backend_config.custom_call_config.cost_estimate of a custom call; nothing where it has none.
/// Throws InputError for an estimate that is no whole number.
std::optional<KernelCost> cost_estimate(const Module& module, const Instruction& instruction);

} // namespace alxsim::hlo
