// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/solvers/solver.h"
#include "alx/solvers/solver_parts.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using model::OpGraph;
using model::Repeat;

Bytes f32(std::int64_t numbers)
{
    return Bytes(numbers * 4);
}

struct QrNumerics {
    template <class Real>
    static std::int64_t solve(const spmd::SolverKernels<Real>& kernels,
                              const spmd::LinearSystemOf<Real>& system, const AlxConfig& /*config*/,
                              Real* scratch)
    {
        kernels.qr(system, scratch);
        return 0;
    }
};

/// A = Q R by Householder reflectors, then R x = Q^T b.
class QrSolver : public SolverOf<QrNumerics> {
public:
    Triangle reads() const override { return Triangle::both; }
    std::string counter() const override { return ""; }

    /// "I think we implement batched QR by looping on all platforms" (jax issue 8542, 2021-11): one
    /// system after the other, each column by column as in XLA's open expander (openxla/xla,
    /// qr_expander.cc); only the triangular solve is batched. A matrix stays in VMEM while it is
    /// factored. Q is never formed, which JAX would do: its reflectors are applied to b.
    int add_ops(OpGraph& graph, const AlxConfig& config, const SolveBatch& batch, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        const std::int64_t systems = batch.systems;
        const std::int64_t dim = config.dim;
        const int factored = graph.add(
            {"factor systems",
             "solve",
             Repeat{systems, "", std::make_shared<OpGraph>(system_body(dim))},
             {{"statistics.gramians", f32(systems * dim * dim)},
              {"statistics.rhs", f32(systems * dim)}},
             {{"solve.factors", f32(systems * dim * dim)}, {"solve.rotated", f32(systems * dim)}},
             {after},
             nullptr});
        const int last = add_triangular_solve(
            graph,
            {"backward", systems, dim, 1, "solve.factors", "solve.rotated", "solve.solutions"},
            factored);
        graph.ops[static_cast<std::size_t>(last)].effect = std::move(effect);
        return last;
    }

private:
    static OpGraph system_body(std::int64_t dim)
    {
        OpGraph body;
        body.name = "qr system";
        const int loaded = body.add(
            vector_op("take a system", "solve", elementwise(dim * dim, 1, dim),
                      {{"statistics.gramians", f32(dim * dim)}, {"statistics.rhs", f32(dim)}},
                      {{"solve.working", f32(dim * dim)}, {"solve.working_rhs", f32(dim)}}, {}));
        const int reduced = body.add({"reduce columns",
                                      "solve",
                                      Repeat{dim, "", std::make_shared<OpGraph>(column_body(dim))},
                                      {{"solve.working", f32(dim * dim)}},
                                      {{"solve.working", f32(dim * dim)}},
                                      {loaded},
                                      nullptr});
        const int rotated =
            body.add({"Q^T b",
                      "solve",
                      Repeat{dim, "", std::make_shared<OpGraph>(rotation_body(dim))},
                      {{"solve.working", f32(dim * dim)}, {"solve.working_rhs", f32(dim)}},
                      {{"solve.working_rhs", f32(dim)}},
                      {reduced},
                      nullptr});
        body.add(vector_op("put a system", "solve", elementwise(dim * dim, 1, dim),
                           {{"solve.working", f32(dim * dim)}, {"solve.working_rhs", f32(dim)}},
                           {{"solve.factors", f32(dim * dim)}, {"solve.rotated", f32(dim)}},
                           {rotated}));
        return body;
    }

    /// One Householder reflector v and A -= tau v (v^T A), on whole matrices under a mask. Both
    /// products on the vector unit, as the matrix-vector product of CG.
    static OpGraph column_body(std::int64_t dim)
    {
        const Bytes vector = f32(dim);
        const Bytes matrix = f32(dim * dim);
        OpGraph body;
        body.name = "qr column";
        // Mask, square, add up.
        const int norm =
            body.add(vector_op("norm of column", "solve", row_sums(dim, 3, dim),
                               {{"solve.working", vector}}, {{"solve.norm", f32(2)}}, {}));
        const int reflector =
            body.add(vector_op("reflector", "solve", division(dim, dim),
                               {{"solve.working", vector}, {"solve.norm", f32(2)}},
                               {{"solve.reflector", vector}}, {norm}));
        // Mask, multiply, add.
        const int product =
            body.add(vector_op("v^T A", "solve", elementwise(dim * dim, 3, dim),
                               {{"solve.working", matrix}, {"solve.reflector", vector}},
                               {{"solve.reflected", vector}}, {reflector}));
        // Multiply, subtract, select the finished column.
        body.add(vector_op(
            "A -= tau v (v^T A)", "solve", elementwise(dim * dim, 3, dim),
            {{"solve.working", matrix}, {"solve.reflector", vector}, {"solve.reflected", vector}},
            {{"solve.working", matrix}}, {product}));
        return body;
    }

    /// One reflector applied to the right-hand side: mask, multiply, add; then multiply, subtract.
    static OpGraph rotation_body(std::int64_t dim)
    {
        const Bytes vector = f32(dim);
        OpGraph body;
        body.name = "reflect right-hand side";
        const int product =
            body.add(vector_op("v^T b", "solve", row_sums(dim, 3, dim),
                               {{"solve.working", vector}, {"solve.working_rhs", vector}},
                               {{"solve.projection", f32(1)}}, {}));
        body.add(vector_op("b -= tau v (v^T b)", "solve", elementwise(dim, 2, dim),
                           {{"solve.working", vector},
                            {"solve.working_rhs", vector},
                            {"solve.projection", f32(1)}},
                           {{"solve.working_rhs", vector}}, {product}));
        return body;
    }
};

} // namespace

std::unique_ptr<const Solver> make_qr_solver();

std::unique_ptr<const Solver> make_qr_solver()
{
    return std::make_unique<QrSolver>();
}

} // namespace alxsim::alx
