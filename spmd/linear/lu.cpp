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

/// The columns [first, first + columns) that are eliminated together, of all rows from `first` on.
struct Panel {
    const LinearSystems& batch;
    std::int64_t first = 0;
    std::int64_t columns = 0;

    std::int64_t rows() const { return batch.dim - first; }
    std::int64_t right() const { return batch.dim - first - columns; }
    Bytes f32(std::int64_t per_system) const { return batch.f32(per_system); }
};

/// One column. Shapes are static: each step works on the whole panel, with zeros in those
/// elements of multipliers and pivot row that are done, so that the update needs no mask.
OpGraph column_body(const Panel& panel)
{
    const Bytes column = panel.f32(panel.rows());
    const Bytes row = panel.f32(panel.columns);
    const Bytes block = panel.f32(panel.rows() * panel.columns);
    OpGraph body;
    body.name = "lu column";
    // Magnitude, mask, compare, keep the larger and its row.
    const int pivot =
        body.add(vector_op("find pivot", panel.batch.phase,
                           row_sums(panel.batch.systems * panel.rows(), 5, panel.rows()),
                           {{panel.batch.between("factors"), column}},
                           {{panel.batch.between("pivot"), panel.f32(2)},
                            {panel.batch.between("permutation"), panel.f32(2)}},
                           {}));
    const int swapped = body.add(vector_op(
        "swap rows", panel.batch.phase,
        elementwise(2 * panel.batch.systems * panel.columns, 1, panel.columns),
        {{panel.batch.between("factors"), row * 2}, {panel.batch.between("pivot"), panel.f32(2)}},
        {{panel.batch.between("factors"), row * 2}, {panel.batch.between("pivot_row"), row}},
        {pivot}));
    const int scaled = body.add(vector_op(
        "multipliers", panel.batch.phase,
        division(panel.batch.systems * panel.rows(), panel.rows()),
        {{panel.batch.between("factors"), column}, {panel.batch.between("pivot"), panel.f32(2)}},
        {{panel.batch.between("multipliers"), column}}, {swapped}));
    body.add(
        vector_op("rank-1 update", panel.batch.phase,
                  elementwise(panel.batch.systems * panel.rows() * panel.columns, 2, panel.columns),
                  {{panel.batch.between("factors"), block},
                   {panel.batch.between("multipliers"), column},
                   {panel.batch.between("pivot_row"), row}},
                  {{panel.batch.between("factors"), block}}, {scaled}));
    return body;
}

/// The panel's row swaps, applied to the columns beside it: row-at-a-time gathers (jax pull
/// request 2526).
int add_permutation(OpGraph& graph, const Panel& panel, int after)
{
    const std::int64_t rows = panel.batch.systems * panel.rows();
    const Bytes beside = panel.f32(panel.rows() * (panel.batch.dim - panel.columns));
    return graph.add({"permute rows beside panel",
                      panel.batch.phase,
                      model::RowGather{rows, Bytes((panel.batch.dim - panel.columns) * 4), rows},
                      {{panel.batch.between("factors"), beside},
                       {panel.batch.between("permutation"), panel.f32(panel.batch.dim)}},
                      {{panel.batch.between("factors"), beside}},
                      {after},
                      nullptr});
}

int add_trailing_update(OpGraph& graph, const Panel& panel, int after)
{
    const int solved = add_triangular_solve(
        graph,
        {panel.batch.phase, panel.batch.workspace, "panel", panel.batch.systems, panel.columns,
         panel.right(), panel.batch.between("factors"), panel.batch.between("factors"),
         panel.batch.between("factors")},
        after);
    const std::int64_t below = panel.rows() - panel.columns;
    const Bytes trailing = panel.f32(below * panel.right());
    const int product = graph.add(
        {"trailing product",
         panel.batch.phase,
         highest_matmul(panel.batch.systems, below, panel.columns, panel.right()),
         {{panel.batch.between("factors"), panel.f32((below + panel.right()) * panel.columns)}},
         {{panel.batch.between("trailing_product"), trailing}},
         {solved},
         nullptr});
    return graph.add(
        vector_op("subtract trailing product", panel.batch.phase,
                  elementwise(panel.batch.systems * below * panel.right(), 1, panel.right()),
                  {{panel.batch.between("factors"), trailing},
                   {panel.batch.between("trailing_product"), trailing}},
                  {{panel.batch.between("factors"), trailing}}, {product}));
}

int add_panel(OpGraph& graph, const Panel& panel, int after)
{
    Repeat columns{panel.columns, "", std::make_shared<OpGraph>(column_body(panel))};
    const Bytes block = panel.f32(panel.rows() * panel.columns);
    int last = graph.add({"factor panel",
                          panel.batch.phase,
                          columns,
                          {{panel.batch.between("factors"), block}},
                          {{panel.batch.between("factors"), block}},
                          {after},
                          nullptr});
    if (panel.columns < panel.batch.dim) {
        last = add_permutation(graph, panel, last);
    }
    return panel.right() > 0 ? add_trailing_update(graph, panel, last) : last;
}

} // namespace

int add_lu_solve(OpGraph& graph, const LinearSystems& batch, int after,
                 std::shared_ptr<const model::Effect> effect)
{
    const std::int64_t systems = batch.systems;
    const std::int64_t dim = batch.dim;
    const Bytes matrices(systems * dim * dim * 4);
    const Bytes vectors(systems * dim * 4);
    int last = graph.add(vector_op(
        "copy matrices", batch.phase, elementwise(systems * dim * dim, 1, dim),
        {{batch.matrices, matrices}},
        {{batch.between("factors"), matrices}, {batch.between("permutation"), vectors}}, {after}));
    for (std::int64_t first = 0; first < dim; first += factor_block) {
        last = add_panel(graph, {batch, first, std::min(factor_block, dim - first)}, last);
    }
    // One number per index, but a gather costs by the index.
    last = graph.add({"permute right-hand sides",
                      batch.phase,
                      model::RowGather{systems * dim, Bytes(4), systems * dim},
                      {{batch.rhs, vectors}, {batch.between("permutation"), vectors}},
                      {{batch.between("permuted"), vectors}},
                      {last},
                      nullptr});
    last = add_triangular_solve(graph,
                                {batch.phase, batch.workspace, "forward", systems, dim, 1,
                                 batch.between("factors"), batch.between("permuted"),
                                 batch.between("intermediate")},
                                last);
    last = add_triangular_solve(graph,
                                {batch.phase, batch.workspace, "backward", systems, dim, 1,
                                 batch.between("factors"), batch.between("intermediate"),
                                 batch.solutions},
                                last);
    graph.ops[static_cast<std::size_t>(last)].effect = std::move(effect);
    return last;
}

} // namespace alxsim::spmd
