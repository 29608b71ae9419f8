// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/solvers/solver.h"
#include "alx/solvers/solver_parts.h"

namespace alxsim::alx {
namespace {

using model::OpGraph;
using model::Repeat;

struct CgNumerics {
    template <class Real>
    static std::int64_t solve(const SolverKernels<Real>& kernels,
                              const LinearSystemOf<Real>& system, const AlxConfig& config,
                              Real* scratch)
    {
        return kernels.conjugate_gradients(system, static_cast<Real>(config.cg.tolerance),
                                           config.max_cg_iterations(), scratch);
    }
};

/// Conjugate gradients as jax.scipy.sparse.linalg.cg.
class CgSolver : public SolverOf<CgNumerics> {
public:
    Triangle reads() const override { return Triangle::both; }
    std::string counter() const override { return "cg_iterations"; }

    int add_ops(OpGraph& graph, const AlxConfig& config, const SolveBatch& batch, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        const std::int64_t systems = batch.systems;
        const Bytes vectors(systems * config.dim * 4);
        const int started = add_start(graph, config.dim, systems, after);
        Repeat repeat;
        repeat.times = batch.expected_iterations;
        repeat.counter = counter();
        repeat.body = std::make_shared<OpGraph>(iteration_body(config.dim, systems));
        return graph.add({"conjugate gradients",
                          "solve",
                          repeat,
                          {{"statistics.gramians", vectors * config.dim}},
                          {{"solve.solutions", vectors}},
                          {started},
                          std::move(effect)});
    }

private:
    /// r = p = b - A x0, which JAX computes although x0 = 0, and r r.
    static int add_start(OpGraph& graph, int dim, std::int64_t systems, int after)
    {
        const Bytes vectors(systems * dim * 4);
        const Bytes scalars(systems * 4);
        const int residual = graph.add(
            vector_op("b - A x0", "solve", row_sums(systems * dim * dim, 2, dim),
                      {{"statistics.gramians", vectors * dim}, {"statistics.rhs", vectors}},
                      {{"solve.residual", vectors},
                       {"solve.direction", vectors},
                       {"solve.solutions", vectors}},
                      {after}));
        return graph.add(vector_op("first r r", "solve", row_sums(systems * dim, 2, dim),
                                   {{"solve.residual", vectors}}, {{"solve.gamma", scalars}},
                                   {residual}));
    }

    /// One iteration of the batch, fused as XLA would. It turns a batched matrix-vector product
    /// into a multiply and reduce on the vector unit, in f32, rather than a matmul, and sums over
    /// the last dimension, which lies along the lanes (assumed; nothing published). Of what a
    /// batched loop carries, x, r and p pay one operation more: a select that keeps the finished
    /// systems as they are.
    static OpGraph iteration_body(int dim, std::int64_t systems)
    {
        const std::int64_t numbers = systems * dim;
        const Bytes vectors(numbers * 4);
        const Bytes scalars(systems * 4);
        OpGraph body;
        body.name = "cg iteration";
        const int product = body.add(
            vector_op("A p", "solve", row_sums(numbers * dim, 2, dim),
                      {{"statistics.gramians", vectors * dim}, {"solve.direction", vectors}},
                      {{"solve.product", vectors}}, {}));
        const int curvature =
            body.add(vector_op("p A p", "solve", row_sums(numbers, 2, dim),
                               {{"solve.direction", vectors}, {"solve.product", vectors}},
                               {{"solve.step", scalars}}, {product}));
        const int update = body.add(
            vector_op("update x and r", "solve", elementwise(numbers, 6, dim),
                      {{"solve.direction", vectors},
                       {"solve.product", vectors},
                       {"solve.step", scalars},
                       {"solve.solutions", vectors},
                       {"solve.residual", vectors}},
                      {{"solve.solutions", vectors}, {"solve.residual", vectors}}, {curvature}));
        const int norm = body.add(vector_op("r r", "solve", row_sums(numbers, 2, dim),
                                            {{"solve.residual", vectors}},
                                            {{"solve.gamma", scalars}}, {update}));
        body.add(vector_op(
            "update p", "solve", elementwise(numbers, 3, dim),
            {{"solve.residual", vectors}, {"solve.gamma", scalars}, {"solve.direction", vectors}},
            {{"solve.direction", vectors}}, {norm}));
        return body;
    }
};

} // namespace

std::unique_ptr<const Solver> make_cg_solver();

std::unique_ptr<const Solver> make_cg_solver()
{
    return std::make_unique<CgSolver>();
}

} // namespace alxsim::alx
