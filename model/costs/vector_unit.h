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
    std::int64_t packs = 0;     ///< conversions of registers from and to 16 bits
    std::int64_t folds = 0;     ///< registers reduced within themselves
    Cycles arithmetic{0};       ///< of the ALUs
    Cycles reduction{0};        ///< of lanes or sublanes of a register with each other, afterwards
};

/// registers: ceil(elements / (lanes * sublanes)) where they lie densely. With a last dimension of
/// `minor`, ceil(minor / lanes) * ceil(elements / minor / sublanes): arrays are padded to tiles of
/// 8 x 128 (jax, docs/pallas/tpu/details.rst), so that 64 costs as much as 128.
///
/// packs: 0 with 32 bits. Two 16-bit elements share a word in memory (same source), but the ALUs
/// work on 32 bits ("ops always fp32": scaling book, tpus): one unpack for every two registers that
/// come in and one pack for every two that go out, of one operand and one result. No source at hand
/// says that later generations do without, so all pay it.
///
/// arithmetic: ceil((registers * cycles + packs) / A), where cycles are ops_per_element times the
/// class's: 1, or what the preset gives for medium, expensive and matrix-vector operations. Of an
/// op that says how many of its operations are of these, each counts as its own class.
///
/// reduction: the sums of whole registers are the caller's `ops_per_element`; what is left is one
/// register for every 8 rows over the lanes (every register where `minor` is not known), each as
/// long in the XLU as the preset says; or every register over its sublanes, log2(sublanes) rolls of
/// a cycle each (scaling book, tpus, appendix A). Shared by the V units; nothing else of the op
/// runs meanwhile, because the result is what it ends with.
///
/// Throws InputError where this takes longer than simulated time can.
VectorWork vector_work(const Vector& vector, const topologies::DeviceSpec& device);

/// arithmetic + reduction.
Cycles vector_cycles(const Vector& vector, const topologies::DeviceSpec& device);

} // namespace alxsim::model
