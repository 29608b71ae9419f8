// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/solvers/solver.h"
#include "alx/solvers/solver_parts.h"
#include "base/units.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using model::OpGraph;
using model::Repeat;

struct CholeskyNumerics {
    template <class Real>
    static std::int64_t solve(const spmd::SolverKernels<Real>& kernels,
                              const spmd::LinearSystemOf<Real>& system, const AlxConfig& /*config*/,
                              Real* scratch)
    {
        kernels.cholesky(system, scratch);
        return 0;
    }
};

/// A = L L^T, then two triangular solves.
class CholeskySolver : public SolverOf<CholeskyNumerics> {
public:
    Triangle reads() const override { return Triangle::upper; }
    std::string counter() const override { return ""; }

    int add_ops(OpGraph& graph, const AlxConfig& config, const SolveBatch& batch, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        const std::int64_t systems = batch.systems;
        const int factored = add_factorization(graph, systems, config.dim, after);
        const int forward =
            add_triangular_solve(graph,
                                 {"forward", systems, config.dim, 1, "solve.factors",
                                  "statistics.rhs", "solve.intermediate"},
                                 factored);
        const int backward =
            add_triangular_solve(graph,
                                 {"backward", systems, config.dim, 1, "solve.factors",
                                  "solve.intermediate", "solve.solutions"},
                                 forward);
        graph.ops[static_cast<std::size_t>(backward)].effect = std::move(effect);
        return backward;
    }

private:
    /// XLA's open expander (openxla/xla, cholesky_expander.cc): left-looking over panels of
    /// columns. That the TPU's compiler does the same is assumed.
    static int add_factorization(OpGraph& graph, std::int64_t systems, std::int64_t dim, int after)
    {
        for (std::int64_t first = 0; first < dim; first += factor_block) {
            const std::int64_t columns = std::min(factor_block, dim - first);
            const std::int64_t below = dim - first - columns;
            std::string panel = "statistics.gramians";
            if (first > 0) {
                panel = "solve.panel";
                after = add_panel_update(graph, systems, first, columns, below, after);
            }
            after = add_diagonal_block(graph, systems, columns, panel, after);
            if (below > 0) {
                after = add_triangular_solve(
                    graph,
                    {"panel", systems, columns, below, "solve.factors", panel, "solve.factors"},
                    after);
            }
        }
        return after;
    }

    /// Less what the `first` columns to the left contribute to the panel.
    static int add_panel_update(OpGraph& graph, std::int64_t systems, std::int64_t first,
                                std::int64_t columns, std::int64_t below, int after)
    {
        const std::int64_t rows = columns + below;
        const Bytes panel(systems * rows * columns * 4);
        const int product = graph.add({"update of panel",
                                       "solve",
                                       highest_matmul(systems, rows, first, columns),
                                       {{"solve.factors", Bytes(systems * rows * first * 4)}},
                                       {{"solve.panel_product", panel}},
                                       {after},
                                       nullptr});
        return graph.add(vector_op("subtract from panel", "solve",
                                   elementwise(systems * rows * columns, 1, columns),
                                   {{"statistics.gramians", panel}, {"solve.panel_product", panel}},
                                   {{"solve.panel", panel}}, {product}));
    }

    /// The unblocked loop: for each column the full L L^T of the block ("redundant computation, but
    /// faster than slice", says the source), the pivot, and a masked update of the whole block.
    static int add_diagonal_block(OpGraph& graph, std::int64_t systems, std::int64_t columns,
                                  const std::string& panel, int after)
    {
        const Bytes block(systems * columns * columns * 4);
        const Bytes scalars(systems * 4);
        OpGraph body;
        body.name = "cholesky column";
        const int product = body.add({"L L^T",
                                      "solve",
                                      highest_matmul(systems, columns, columns, columns),
                                      {{"solve.factors", block}},
                                      {{"solve.column_products", block}},
                                      {},
                                      nullptr});
        const int pivot = body.add(vector_op("root of pivot", "solve", division(systems, 0),
                                             {{panel, scalars}, {"solve.column_products", scalars}},
                                             {{"solve.pivot", scalars}}, {product}));
        // Beside the division: subtract, compare and combine the mask, select, add.
        body.add(vector_op("update column", "solve", division(systems * columns * columns, columns),
                           {{panel, block},
                            {"solve.column_products", block},
                            {"solve.pivot", scalars},
                            {"solve.factors", block}},
                           {{"solve.factors", block}}, {pivot}));
        return graph.add({"factor",
                          "solve",
                          Repeat{columns, "", std::make_shared<OpGraph>(std::move(body))},
                          {{panel, block}},
                          {{"solve.factors", block}},
                          {after},
                          nullptr});
    }
};

} // namespace

std::unique_ptr<const Solver> make_cholesky_solver();

std::unique_ptr<const Solver> make_cholesky_solver()
{
    return std::make_unique<CholeskySolver>();
}

} // namespace alxsim::alx
