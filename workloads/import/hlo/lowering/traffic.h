// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <map>
#include <vector>

namespace alxsim::hlo {

/// What an instruction moves in HBM, without padding.
struct HbmTraffic {
    std::vector<std::int64_t> read; ///< [operand]
    std::int64_t written = 0;
};

/// Whether an array, or the first of a tuple, lies in HBM; in VMEM or CMEM (on the chip) nothing of
/// it moves.
bool is_in_hbm(const Shape& shape);
bool is_on_chip(const Shape& shape);

/// What instructions read and write. Of an operand what slice, dynamic-slice and gather take of it,
/// followed through bitcasts, nested fusions and what works element by element before it; nothing
/// as the target of a dynamic-update-slice or scatter, or of an asynchronous collective that a
/// fusion carries; else all of it, once. Of a result what an update writes; nothing of what is
/// passed on; else all of it.
class Traffic {
public:
    explicit Traffic(const Module& module) : module_(module) {}

    HbmTraffic of(const Computation& computation, const Instruction& instruction);
    /// [parameter] of a fused computation, in whatever memory.
    const std::vector<std::int64_t>& reads(int computation);
    /// [leaf] of its result, likewise.
    const std::vector<std::int64_t>& writes(int computation);

private:
    struct Taken {
        std::int64_t parts = 0;
        bool whole = false;
    };

    /// [instruction] of a fused computation, in bytes of its own.
    std::vector<Taken> taken_in(const Computation& fused);
    Taken taken_by(const Computation& computation, const Instruction& user, std::size_t operand);
    std::vector<std::int64_t> written_by(const Computation& computation, int value);

    const Module& module_;
    std::map<int, std::vector<std::int64_t>> reads_, writes_;
};

/// The parameter of a computation that a value is, seen through bitcasts and what else moves no
/// element; -1: it is none.
int parameter_behind(const Computation& computation, int value);

} // namespace alxsim::hlo
