// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

namespace alxsim::model {

/// What the vector units of a device take for work along rows, at their clock, shared by its cores.
/// Rows fill registers of 8 x 128 words as any array does (vector_unit.h): 8 rows, 128 numbers.
///
/// sort: a bitonic network (Batcher, AFIPS 1968) of L (L + 1) / 2 stages with L = log2(length),
/// each a compare-exchange of every number with its index: length * L * (L + 1) / 4 of them a row.
/// That is what the TPU compiler writes: its static profile of sorts of 128 to 8192 numbers goes as
/// registers * stages (tests/oracle/xla, vector_bundles.json), and what a stage takes is the
/// preset's.
///
/// top_k: every register goes through a list of the k largest so far, a compare-exchange with each
/// (the profile of k = 10 and 100 goes as registers * k, at the cost of a stage); no longer than a
/// sort.
///
/// argmax: every register is compared with what is the largest of its row so far, and one for every
/// 8 rows is reduced over its lanes, with its places: one and a half times a plain reduction.
///
/// cumsum: every register takes what the preset says: the compiler writes windows of 128 numbers,
/// each summed by itself (of rows of up to 128 numbers it takes a seventh of that).
///
/// Throws InputError where this takes longer than simulated time can.
Cycles row_operation_cycles(const AlongRows& work, const topologies::DeviceSpec& device);

/// How often all numbers and indices are read from HBM and written back beyond the first reading
/// and the last writing: 0 where 8 rows stand in VMEM twice. Longer rows are sorted part by part
/// and merged, two parts to one: of the l-th of m levels, each of whose numbers are further apart
/// than a part, l passes exchange between parts and one within: m (m + 1) / 2 + m. Other operations
/// need a row's numbers once.
std::int64_t hbm_passes(const AlongRows& work, const topologies::DeviceSpec& device);

/// What a pass reads, and writes as often: numbers and 32-bit indices.
Bytes pass_bytes(const AlongRows& work);

} // namespace alxsim::model
