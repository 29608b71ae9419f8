// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/householder.h"

#include "spmd/linear/op_parts.h"

namespace alxsim::spmd {

model::OpGraph householder_column(const HouseholderPanel& panel)
{
    const std::int64_t rows = panel.rows;
    const std::int64_t all = rows * panel.columns;
    const Bytes column(rows * 4);
    const Bytes row(panel.columns * 4);
    const Bytes matrix(all * 4);
    const auto between = [&](const char* name) { return panel.workspace + "." + name; };
    model::OpGraph body;
    body.name = "qr column";
    // Mask, square, add up.
    const int norm =
        body.add(vector_op("norm of column", panel.phase, row_sums(rows, 3, rows),
                           {{between("working"), column}}, {{between("norm"), Bytes(8)}}, {}));
    const int reflector =
        body.add(vector_op("reflector", panel.phase, division(rows, rows),
                           {{between("working"), column}, {between("norm"), Bytes(8)}},
                           {{between("reflector"), column}}, {norm}));
    // Mask, multiply, add.
    const int product =
        body.add(vector_op("v^T A", panel.phase, elementwise(all, 3, panel.columns),
                           {{between("working"), matrix}, {between("reflector"), column}},
                           {{between("reflected"), row}}, {reflector}));
    // Multiply, subtract, select the finished column.
    body.add(vector_op(
        "A -= tau v (v^T A)", panel.phase, elementwise(all, 3, panel.columns),
        {{between("working"), matrix}, {between("reflector"), column}, {between("reflected"), row}},
        {{between("working"), matrix}}, {product}));
    return body;
}

} // namespace alxsim::spmd
