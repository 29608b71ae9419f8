// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/row_transfer.h"
#include "model/graph/dtype.h"

#include <vector>

namespace alxsim::model {
struct Buffer;
} // namespace alxsim::model

namespace alxsim::alx {

/// Bytes that a shard of `rows` x `dim` numbers takes in HBM. XLA lays the longer side of an array
/// along the 128 lanes where `dim` would leave some of them empty: then rows are padded to 128 and
/// numbers to 8, and a table of 64 numbers a row is as small as it looks (libtpu 0.0.42.1).
Bytes stored_table_bytes(std::int64_t rows, std::int64_t dim, model::DType dtype);

/// Whether the step is the released one, op for op, so that the order in which XLA runs it is
/// known: semantics `alx` with its gathers, scatter, statistics and solver, tables in bf16 cut by
/// rows alone.
bool is_released_step(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh);

/// Returns how look-ups of a step that is_released_step() move: of up to 48 numbers, a row is a
/// column of the table as it is stored, and all tiles of 8 numbers of 128 rows are moved that it
/// passes. Cycles of a row with 1, 2 and 4 tiles: 15, 25, 33 (machine code of libtpu 0.0.42.1, v3;
/// taken for all chips); in between and beyond, 4 a tile.
RowTransfer row_transfer(const AlxConfig& config);

/// Whether a step relays its tables: rows of more than 48 numbers that fill no whole lanes are
/// looked up and written in copies of the tables whose rows are padded to 128, and the updated one
/// is laid back (libtpu 0.0.42.1, v3, d 64).
bool relays_tables(const AlxConfig& config);

/// Bytes of a shard so relaid: `rows` of whole lanes.
Bytes relaid_table_bytes(std::int64_t rows, std::int64_t dim, model::DType dtype);

/// What stands in a device's HBM when most does, in a step that is_released_step(): the largest of
/// three moments of XLA's schedule (programs of libtpu 0.0.42.1 for v3; tests/oracle/xla). Tables
/// and result are there in all of them, results being copies made before everything unless tables
/// are donated.
///   gather: all devices' ids and masks, and the batch; at once, twice all batches. (A turn's
///   look-up and product with the mask are not in the compiler's peak, nor here: why is not known);
///   statistics: d x d windows of the lines and of the rows, and the gathered batch;
///   scatter: all devices' solutions, twice.
/// Tables of more than 48 numbers a row that fill no whole lanes are relaid: the fixed one for the
/// gather, the updated one for the scatter.
std::vector<model::Buffer> step_memory(const AlxConfig& config, const HalfShape& half,
                                       const DeviceMesh& mesh);

} // namespace alxsim::alx
