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
    static std::int64_t solve(const spmd::SolverKernels<Real>& kernels,
                              const spmd::LinearSystemOf<Real>& system, const AlxConfig& config,
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
    /// r = p = b - A x0, which JAX computes although x0 = 0 and the TPU's compiler does not leave
    /// out, with r r and b b, from which the tolerance follows.
    static int add_start(OpGraph& graph, int dim, std::int64_t systems, int after)
    {
        const Bytes vectors(systems * dim * 4);
        const Bytes scalars(systems * 4);
        const int product = graph.add(
            vector_op("A x0", "solve", batched_matvec(systems * dim * dim, dim),
                      {{"statistics.gramians", vectors * dim}, {"statistics.rhs", vectors}},
                      {{"solve.product", vectors}}, {after}));
        const int residual =
            graph.add(vector_op("b - A x0, r r, b b", "solve", elementwise(systems * dim, 5, dim),
                                {{"statistics.rhs", vectors}, {"solve.product", vectors}},
                                {{"solve.residual", vectors},
                                 {"solve.direction", vectors},
                                 {"solve.solutions", vectors},
                                 {"solve.gamma", scalars}},
                                {product}));
        return graph.add(vector_op("tolerances", "solve", systems, 2, {{"solve.gamma", scalars}},
                                   {{"solve.tolerance", scalars}}, {residual}));
    }

    /// One iteration of the whole batch as the TPU's compiler makes it (libtpu 0.0.42.1, v3): seven
    /// fusions and the loop's test. The product is a multiply and a sum on the vector unit in f32,
    /// without the MXU. A select keeps finished systems as they are. The sums over vectors are
    /// taken as elementwise: they are a hundredth of the product.
    static OpGraph iteration_body(int dim, std::int64_t systems)
    {
        const std::int64_t numbers = systems * dim;
        const model::BufferUse direction{"solve.direction", Bytes(numbers * 4)};
        const model::BufferUse product{"solve.product", Bytes(numbers * 4)};
        const model::BufferUse residual{"solve.residual", Bytes(numbers * 4)};
        const model::BufferUse solutions{"solve.solutions", Bytes(numbers * 4)};
        const model::BufferUse gamma{"solve.gamma", Bytes(systems * 4)};
        const model::BufferUse active{"solve.active", Bytes(systems)};
        const model::BufferUse step{"solve.step", Bytes(systems * 4)};
        const model::BufferUse tolerance{"solve.tolerance", Bytes(systems * 4)};
        OpGraph body;
        body.name = "cg iteration";
        const auto add = [&](const char* name, const model::Vector& work,
                             std::vector<model::BufferUse> reads,
                             std::vector<model::BufferUse> writes) {
            const int last = static_cast<int>(body.ops.size()) - 1;
            body.add(vector_op(name, "solve", work, std::move(reads), std::move(writes),
                               last < 0 ? std::vector<int>{} : std::vector<int>{last}));
        };
        add("who goes on", elementwise(systems, 3, systems), {gamma, tolerance}, {active});
        add("A p", batched_matvec(numbers * dim, dim),
            {{"statistics.gramians", direction.touched * dim}, direction}, {product});
        add("p A p", elementwise(numbers, 2, dim), {direction, product}, {step});
        add("step", division(systems, systems), {gamma, step}, {step});
        add("r r", elementwise(numbers, 4, dim), {residual, product, step}, {gamma});
        add("beta", division(systems, systems), {gamma, active}, {gamma});
        add("update x, r and p", elementwise(numbers, 9, dim),
            {direction, product, residual, solutions, step, gamma, active},
            {solutions, residual, direction});
        add("test", elementwise(systems, 2, systems), {gamma, tolerance}, {active});
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
