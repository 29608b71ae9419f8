// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

namespace alxsim::model {

/// What a vector op asks of a device whose registers hold lanes x sublanes words of 32 bits (128 x
/// 8), with A ALUs for every word and V vector units (one per TensorCore).
struct VectorWork {
    std::int64_t registers = 0; ///< that its elements fill, one element per word
    std::int64_t folds = 0;     ///< registers reduced within themselves
    double instructions = 0;    ///< of the ALUs, for all registers
    double pushes = 0;          ///< of registers through the transcendental unit
    Cycles arithmetic{0};       ///< of the ALUs or the transcendental unit, whichever takes longer
    /// Reduction of lanes or sublanes of a register with each other, afterwards; of a
    /// transposition.
    Cycles reduction{0};
};

/// registers: ceil(elements / (lanes * sublanes)) where they lie densely. With a last dimension of
/// `minor`, ceil(minor / lanes) * ceil(elements / minor / sublanes): arrays are padded to tiles of
/// 8 x 128 (jax, docs/pallas/tpu/details.rst), so that 64 costs as much as 128.
///
/// arithmetic: a bundle of the machine's code issues an instruction to every ALU and a push to the
/// transcendental unit, so that the slowest of them counts. max(instructions / A, pushes *
/// eup_push / V, registers * vpu_register_pass / V), the last for their loads and stores, half as
/// many of 16 bits; what is reduced is not stored. Instructions are ops_per_element times the
/// class's, as counted in the compiler's code (tests/oracle/xla/vector_bundles.json; preset:
/// vpu_..._op_cycles); an exp, tanh, log, division, root, pow or erf is a push as well. Of an op
/// that says how many of its operations are of these, each counts as its own class.
///
/// Numbers of fewer than 32 bits are unpacked and packed again, vpu_bf16_conversion instructions
/// for a register of them; where ALUs work on two bf16 at once, cheap operations take half.
///
/// reduction: the sums of whole registers are the caller's `ops_per_element`; what is left is one
/// register for every 8 rows over the lanes (every register where `minor` is not known), each as
/// long in the XLU as the preset says; or every register over its sublanes, 2 log2(sublanes) + 1
/// instructions of the ALUs: rolls and additions (7 in the code of v5e and v6e; v3 has 15). Shared
/// by the V units; nothing else of the op runs meanwhile, because the result is what it ends with.
/// A transposition takes every register through the XLU and no ALU.
///
/// Throws InputError where this takes longer than simulated time can.
VectorWork vector_work(const Vector& vector, const topologies::DeviceSpec& device);

/// arithmetic + reduction.
Cycles vector_cycles(const Vector& vector, const topologies::DeviceSpec& device);

/// Cheap operations that an ALU does in an instruction: 2 of bf16 where it works on both of a word.
double operations_per_instruction(DType dtype, const topologies::DeviceSpec& device);

} // namespace alxsim::model
