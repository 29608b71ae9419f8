// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/lowering/fused_work.h"
#include "workloads/import/hlo/text/module.h"

#include <set>
#include <vector>

namespace alxsim::hlo {

/// Whether an instruction only begins work: copy-start, call-start, send, ... (of fusions: whether
/// AsyncCollectiveStart stands in them, FusedWork::begins_collective).
bool begins_work(const Instruction& instruction);

/// The instructions that have begun what this one waits for: of X-done its X-start, of a recv-done
/// its recv, of a fusion with AsyncCollectiveDone the fusions that have begun the collectives, seen
/// through those that carry them. `carried`: set where it waits for what began outside of the
/// computation.
std::vector<const Instruction*> awaited_by(const Computation& computation,
                                           const Instruction& instruction, FusedWorks& works,
                                           bool* carried = nullptr);

/// All that something in the computation waits for.
std::set<const Instruction*> awaited_in(const Computation& computation, FusedWorks& works);

/// What joins a send and a recv of one transfer: _xla_host_transfer_rendezvous, or "".
std::string_view rendezvous_of(const Instruction& instruction);

} // namespace alxsim::hlo
