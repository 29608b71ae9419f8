// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/work.h"

namespace alxsim::alx {

/// What a look-up moves for each row of a table, where that is not the row alone.
struct RowTransfer {
    Bytes bytes{0};       ///< 0: the row's
    int issue_cycles = 0; ///< see model::RowGather
};

/// `lookup` with what moves in place of a row.
inline model::RowGather row_lookup(const RowTransfer& transfer, model::RowGather lookup)
{
    lookup.row_bytes = transfer.bytes > Bytes(0) ? transfer.bytes : lookup.row_bytes;
    lookup.issue_cycles = transfer.issue_cycles;
    return lookup;
}

} // namespace alxsim::alx
