// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/linear_systems.h"
#include "spmd/linear/op_parts.h"
#include "spmd/linear/triangular.h"

#include <algorithm>
#include <utility>

namespace alxsim::spmd {
namespace {

using model::OpGraph;
using model::Repeat;

/// Less what the `first` columns to the left contribute to the panel.
int add_panel_update(OpGraph& graph, const LinearSystems& batch, std::int64_t first,
                     std::int64_t columns, std::int64_t below, int after)
{
    const std::int64_t rows = columns + below;
    const Bytes panel(batch.systems * rows * columns * 4);
    const int product =
        graph.add({"update of panel",
                   batch.phase,
                   highest_matmul(batch.systems, rows, first, columns),
                   {{batch.between("factors"), Bytes(batch.systems * rows * first * 4)}},
                   {{batch.between("panel_product"), panel}},
                   {after},
                   nullptr});
    return graph.add(vector_op("subtract from panel", batch.phase,
                               elementwise(batch.systems * rows * columns, 1, columns),
                               {{batch.matrices, panel}, {batch.between("panel_product"), panel}},
                               {{batch.between("panel"), panel}}, {product}));
}

/// The unblocked loop: for each column the full L L^T of the block ("redundant computation, but
/// faster than slice", says the source), the pivot, and a masked update of the whole block.
int add_diagonal_block(OpGraph& graph, const LinearSystems& batch, std::int64_t columns,
                       const std::string& panel, int after)
{
    const Bytes block(batch.systems * columns * columns * 4);
    const Bytes scalars(batch.systems * 4);
    OpGraph body;
    body.name = "cholesky column";
    const int product = body.add({"L L^T",
                                  batch.phase,
                                  highest_matmul(batch.systems, columns, columns, columns),
                                  {{batch.between("factors"), block}},
                                  {{batch.between("column_products"), block}},
                                  {},
                                  nullptr});
    const int pivot =
        body.add(vector_op("root of pivot", batch.phase, division(batch.systems, 0),
                           {{panel, scalars}, {batch.between("column_products"), scalars}},
                           {{batch.between("pivot"), scalars}}, {product}));
    // Beside the division: subtract, compare and combine the mask, select, add.
    body.add(vector_op("update column", batch.phase,
                       division(batch.systems * columns * columns, columns),
                       {{panel, block},
                        {batch.between("column_products"), block},
                        {batch.between("pivot"), scalars},
                        {batch.between("factors"), block}},
                       {{batch.between("factors"), block}}, {pivot}));
    return graph.add({"factor",
                      batch.phase,
                      Repeat{columns, "", std::make_shared<OpGraph>(std::move(body))},
                      {{panel, block}},
                      {{batch.between("factors"), block}},
                      {after},
                      nullptr});
}

} // namespace

// Left-looking over panels of columns.
int add_cholesky(OpGraph& graph, const LinearSystems& batch, int after)
{
    for (std::int64_t first = 0; first < batch.dim; first += factor_block) {
        const std::int64_t columns = std::min(factor_block, batch.dim - first);
        const std::int64_t below = batch.dim - first - columns;
        std::string panel = batch.matrices;
        if (first > 0) {
            panel = batch.between("panel");
            after = add_panel_update(graph, batch, first, columns, below, after);
        }
        after = add_diagonal_block(graph, batch, columns, panel, after);
        if (below > 0) {
            after = add_triangular_solve(graph,
                                         {batch.phase, batch.workspace, "panel", batch.systems,
                                          columns, below, batch.between("factors"), panel,
                                          batch.between("factors")},
                                         after);
        }
    }
    return after;
}

int add_cholesky_solve(OpGraph& graph, const LinearSystems& batch, int after,
                       std::shared_ptr<const model::Effect> effect)
{
    const int factored = add_cholesky(graph, batch, after);
    const int forward =
        add_triangular_solve(graph,
                             {batch.phase, batch.workspace, "forward", batch.systems, batch.dim, 1,
                              batch.between("factors"), batch.rhs, batch.between("intermediate")},
                             factored);
    const int backward = add_triangular_solve(
        graph,
        {batch.phase, batch.workspace, "backward", batch.systems, batch.dim, 1,
         batch.between("factors"), batch.between("intermediate"), batch.solutions},
        forward);
    graph.ops[static_cast<std::size_t>(backward)].effect = std::move(effect);
    return backward;
}

} // namespace alxsim::spmd
