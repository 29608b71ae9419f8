// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace alxsim::hlo {

/// A collective that an instruction issues.
struct Collective {
    /// all_gather, reduce_scatter, all_reduce, all_to_all or permute.
    std::string_view kind;
    /// On a device, without padding: the result of an all_gather, the operands of the others.
    std::int64_t bytes = 0;
    bool between_slices = false; ///< over the data-center network, through the host
    /// The instruction that says the groups, itself or one in a computation that it calls, and
    /// where that stands.
    const Instruction* groups = nullptr;
    const Computation* where = nullptr;
};

/// Reads an instruction of a computation that runs (not of a fused one):
/// - all-gather, all-reduce, reduce-scatter, all-to-all, collective-permute, or the -start of one;
/// - a fusion that holds an all-reduce and the dynamic-slice of its part is a reduce_scatter;
/// - an asynchronous collective fusion issues its collective where it begins
/// (AsyncCollectiveStart);
///   those that carry it through or end it show it once more, and issue none;
/// - a send of the runtime between slices (_xla_megascale_transfer_type), of a gather its recv.
/// Nothing where it issues none. A ragged-all-to-all is none: how much it moves is data.
std::optional<Collective> collective_of(const Module& module, const Computation& computation,
                                        const Instruction& instruction);

/// Between the host and the device.
enum class HostTransfer { none, to_host, from_host };

/// A copy to or from host memory, or a callback's send or recv.
HostTransfer host_transfer_of(const Computation& computation, const Instruction& instruction);
/// What it moves, without padding.
std::int64_t host_transfer_bytes(const Computation& computation, const Instruction& instruction);

} // namespace alxsim::hlo
