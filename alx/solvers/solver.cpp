// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"

#include "spmd/linear/linear_systems.h"

#include <utility>

namespace alxsim::alx {
namespace {

spmd::LinearSystems systems_of(const AlxConfig& config, const SolveBatch& batch)
{
    return {batch.systems, config.dim, "statistics.gramians", "statistics.rhs", "solve.solutions"};
}

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

class CgSolver : public SolverOf<CgNumerics> {
public:
    Triangle reads() const override { return Triangle::both; }
    std::string counter() const override { return "cg_iterations"; }
    bool solves_by_two(const AlxConfig& config) const override
    {
        constexpr int most = 64; // two such matrices take 32 KB: L1 holds them
        return config.solve_dtype == model::DType::f32 && spmd::padded(config.dim) <= most;
    }
    std::array<std::int64_t, 2> solve_two(const std::array<spmd::LinearSystem, 2>& systems,
                                          const AlxConfig& config,
                                          spmd::FloatBuffer& scratch) const override
    {
        scratch.resize(std::max(scratch.size(), spmd::scratch_numbers(systems[0].stride)));
        std::array<std::int64_t, 2> iterations{};
        spmd::solver_kernels<float>().conjugate_gradients_of_two(
            systems.data(), static_cast<float>(config.cg.tolerance), config.max_cg_iterations(),
            scratch.data(), iterations.data());
        return iterations;
    }
    int add_ops(model::OpGraph& graph, const AlxConfig& config, const SolveBatch& batch, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        return spmd::add_conjugate_gradients(graph, systems_of(config, batch),
                                             {batch.expected_iterations, counter()}, after,
                                             std::move(effect));
    }
};

/// A direct method: its kernel, its ops, and what it reads of an f32 matrix.
template <class Method>
struct DirectNumerics {
    template <class Real>
    static std::int64_t solve(const spmd::SolverKernels<Real>& kernels,
                              const spmd::LinearSystemOf<Real>& system, const AlxConfig&,
                              Real* scratch)
    {
        Method::kernel(kernels)(system, scratch);
        return 0;
    }
};

template <class Method>
class DirectSolver : public SolverOf<DirectNumerics<Method>> {
public:
    Triangle reads() const override { return Method::reads; }
    std::string counter() const override { return ""; }
    int add_ops(model::OpGraph& graph, const AlxConfig& config, const SolveBatch& batch, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        return Method::add_ops(graph, systems_of(config, batch), after, std::move(effect));
    }
};

struct Cholesky {
    static constexpr Triangle reads = Triangle::upper;
    static constexpr auto add_ops = spmd::add_cholesky_solve;
    template <class Real>
    static auto kernel(const spmd::SolverKernels<Real>& kernels)
    {
        return kernels.cholesky;
    }
};

struct Lu {
    static constexpr Triangle reads = Triangle::both;
    static constexpr auto add_ops = spmd::add_lu_solve;
    template <class Real>
    static auto kernel(const spmd::SolverKernels<Real>& kernels)
    {
        return kernels.lu;
    }
};

struct Qr {
    static constexpr Triangle reads = Triangle::both;
    static constexpr auto add_ops = spmd::add_qr_solve;
    template <class Real>
    static auto kernel(const spmd::SolverKernels<Real>& kernels)
    {
        return kernels.qr;
    }
};

template <class Method>
std::unique_ptr<const Solver> make()
{
    return std::make_unique<Method>();
}

} // namespace

const Registry<Solver>& solvers()
{
    static const Registry<Solver> registry("/workload/alx/solver",
                                           {{"cg", make<CgSolver>},
                                            {"cholesky", make<DirectSolver<Cholesky>>},
                                            {"lu", make<DirectSolver<Lu>>},
                                            {"qr", make<DirectSolver<Qr>>}});
    return registry;
}

} // namespace alxsim::alx
