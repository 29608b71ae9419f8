// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"
#include "workloads/import/hlo/xla_cost.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// How often each computation runs in one run of the program, by its index: 1 of the entry, bodies
/// as often as their loops turn, branches where they are taken. `stands`: whether what runs leads
/// to it at all, if only for 0 trips; fused computations and those of reductions do not, they are
/// part of an instruction.
struct Runs {
    std::vector<std::int64_t> times;
    std::vector<bool> stands;
};

Runs runs_of(const Module& module, const XlaCosts& costs);

/// What becomes of an instruction of a computation that runs.
enum class Fate {
    mapped,  ///< an op, or the ops of what it calls
    free,    ///< takes no time: tuples, bitcasts, the ends of asynchronous work
    unmapped ///< nobody knows what it costs
};

struct Judgement {
    Fate fate = Fate::mapped;
    std::string name;   ///< of what is unmapped: an opcode or a custom call's target
    std::string reason; ///< why it is
};

/// Judges a fusion by what stands in it.
Judgement judged(const Module& module, const Computation& computation,
                 const Instruction& instruction);

} // namespace alxsim::hlo
