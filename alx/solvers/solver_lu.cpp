// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/solvers/solver.h"
#include "alx/solvers/solver_parts.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using model::OpGraph;
using model::Repeat;

/// The columns [first, first + columns) that are eliminated together, of all rows from `first` on.
struct Panel {
    std::int64_t systems = 0;
    std::int64_t dim = 0;
    std::int64_t first = 0;
    std::int64_t columns = 0;

    std::int64_t rows() const { return dim - first; }
    std::int64_t right() const { return dim - first - columns; }
    Bytes f32(std::int64_t per_system) const { return Bytes(systems * per_system * 4); }
};

struct LuNumerics {
    template <class Real>
    static std::int64_t solve(const spmd::SolverKernels<Real>& kernels,
                              const spmd::LinearSystemOf<Real>& system, const AlxConfig& /*config*/,
                              Real* scratch)
    {
        kernels.lu(system, scratch);
        return 0;
    }
};

/// P A = L U with partial pivoting, then two triangular solves: jnp.linalg.solve.
class LuSolver : public SolverOf<LuNumerics> {
public:
    Triangle reads() const override { return Triangle::both; }
    std::string counter() const override { return ""; }

    /// The factorization is a custom TPU kernel since 2020-09 (jax pull request 4291), of which
    /// nothing is published. Assumed to do what JAX's open code does (_lu_blocked, _lu_unblocked),
    /// batched over the systems, without that code's masks over whole matrices.
    int add_ops(OpGraph& graph, const AlxConfig& config, const SolveBatch& batch, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        const std::int64_t systems = batch.systems;
        const std::int64_t dim = config.dim;
        const Bytes matrices(systems * dim * dim * 4);
        const Bytes vectors(systems * dim * 4);
        int last = graph.add(
            vector_op("copy matrices", "solve", elementwise(systems * dim * dim, 1, dim),
                      {{"statistics.gramians", matrices}},
                      {{"solve.factors", matrices}, {"solve.permutation", vectors}}, {after}));
        for (std::int64_t first = 0; first < dim; first += factor_block) {
            last =
                add_panel(graph, {systems, dim, first, std::min(factor_block, dim - first)}, last);
        }
        // One number per index, but a gather costs by the index.
        last = graph.add({"permute right-hand sides",
                          "solve",
                          model::RowGather{systems * dim, Bytes(4), systems * dim},
                          {{"statistics.rhs", vectors}, {"solve.permutation", vectors}},
                          {{"solve.permuted", vectors}},
                          {last},
                          nullptr});
        last = add_triangular_solve(
            graph,
            {"forward", systems, dim, 1, "solve.factors", "solve.permuted", "solve.intermediate"},
            last);
        last = add_triangular_solve(
            graph,
            {"backward", systems, dim, 1, "solve.factors", "solve.intermediate", "solve.solutions"},
            last);
        graph.ops[static_cast<std::size_t>(last)].effect = std::move(effect);
        return last;
    }

private:
    static int add_panel(OpGraph& graph, const Panel& panel, int after)
    {
        Repeat columns{panel.columns, "", std::make_shared<OpGraph>(column_body(panel))};
        const Bytes block = panel.f32(panel.rows() * panel.columns);
        int last = graph.add({"factor panel",
                              "solve",
                              columns,
                              {{"solve.factors", block}},
                              {{"solve.factors", block}},
                              {after},
                              nullptr});
        if (panel.columns < panel.dim) {
            last = add_permutation(graph, panel, last);
        }
        return panel.right() > 0 ? add_trailing_update(graph, panel, last) : last;
    }

    /// One column. Shapes are static: each step works on the whole panel, with zeros in those
    /// elements of multipliers and pivot row that are done, so that the update needs no mask.
    static OpGraph column_body(const Panel& panel)
    {
        const Bytes column = panel.f32(panel.rows());
        const Bytes row = panel.f32(panel.columns);
        const Bytes block = panel.f32(panel.rows() * panel.columns);
        OpGraph body;
        body.name = "lu column";
        // Magnitude, mask, compare, keep the larger and its row.
        const int pivot = body.add(vector_op(
            "find pivot", "solve", row_sums(panel.systems * panel.rows(), 5, panel.rows()),
            {{"solve.factors", column}},
            {{"solve.pivot", panel.f32(2)}, {"solve.permutation", panel.f32(2)}}, {}));
        const int swapped = body.add(vector_op(
            "swap rows", "solve", elementwise(2 * panel.systems * panel.columns, 1, panel.columns),
            {{"solve.factors", row * 2}, {"solve.pivot", panel.f32(2)}},
            {{"solve.factors", row * 2}, {"solve.pivot_row", row}}, {pivot}));
        const int scaled = body.add(
            vector_op("multipliers", "solve", division(panel.systems * panel.rows(), panel.rows()),
                      {{"solve.factors", column}, {"solve.pivot", panel.f32(2)}},
                      {{"solve.multipliers", column}}, {swapped}));
        body.add(vector_op(
            "rank-1 update", "solve",
            elementwise(panel.systems * panel.rows() * panel.columns, 2, panel.columns),
            {{"solve.factors", block}, {"solve.multipliers", column}, {"solve.pivot_row", row}},
            {{"solve.factors", block}}, {scaled}));
        return body;
    }

    /// The panel's row swaps, applied to the columns beside it: row-at-a-time gathers (jax pull
    /// request 2526).
    static int add_permutation(OpGraph& graph, const Panel& panel, int after)
    {
        const std::int64_t rows = panel.systems * panel.rows();
        const Bytes beside = panel.f32(panel.rows() * (panel.dim - panel.columns));
        return graph.add({"permute rows beside panel",
                          "solve",
                          model::RowGather{rows, Bytes((panel.dim - panel.columns) * 4), rows},
                          {{"solve.factors", beside}, {"solve.permutation", panel.f32(panel.dim)}},
                          {{"solve.factors", beside}},
                          {after},
                          nullptr});
    }

    static int add_trailing_update(OpGraph& graph, const Panel& panel, int after)
    {
        const int solved =
            add_triangular_solve(graph,
                                 {"panel", panel.systems, panel.columns, panel.right(),
                                  "solve.factors", "solve.factors", "solve.factors"},
                                 after);
        const std::int64_t below = panel.rows() - panel.columns;
        const Bytes trailing = panel.f32(below * panel.right());
        const int product =
            graph.add({"trailing product",
                       "solve",
                       highest_matmul(panel.systems, below, panel.columns, panel.right()),
                       {{"solve.factors", panel.f32((below + panel.right()) * panel.columns)}},
                       {{"solve.trailing_product", trailing}},
                       {solved},
                       nullptr});
        return graph.add(
            vector_op("subtract trailing product", "solve",
                      elementwise(panel.systems * below * panel.right(), 1, panel.right()),
                      {{"solve.factors", trailing}, {"solve.trailing_product", trailing}},
                      {{"solve.factors", trailing}}, {product}));
    }
};

} // namespace

std::unique_ptr<const Solver> make_lu_solver();

std::unique_ptr<const Solver> make_lu_solver()
{
    return std::make_unique<LuSolver>();
}

} // namespace alxsim::alx
