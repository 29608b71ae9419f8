// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/registry.h"
#include "alx/solvers/outer_products.h"
#include "spmd/buffer.h"
#include "spmd/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::model {
struct Effect;
struct OpGraph;
} // namespace alxsim::model

namespace alxsim::alx {

/// The systems of one batch.
struct SolveBatch {
    std::int64_t systems = 0;
    std::int64_t expected_iterations = 0; ///< of an iterative solver whose counts are not known
};

/// How the d x d systems of a batch are solved: the numbers, and the ops that a device spends on
/// them.
class Solver {
public:
    virtual ~Solver() = default;

    /// Returns the iterations it took; 0 for a direct method. `scratch` is grown as needed.
    virtual std::int64_t solve(const spmd::LinearSystem& system, const AlxConfig& config,
                               spmd::FloatBuffer& scratch) const = 0;
    virtual std::int64_t solve(const spmd::LinearSystemOf<double>& system, const AlxConfig& config,
                               spmd::Buffer<double>& scratch) const = 0;
    virtual std::int64_t solve(const spmd::LinearSystemOf<spmd::Bf16Number>& system,
                               const AlxConfig& config,
                               spmd::Buffer<spmd::Bf16Number>& scratch) const = 0;
    /// Two f32 systems of one size; the same bits.
    virtual std::array<std::int64_t, 2> solve_two(const std::array<spmd::LinearSystem, 2>& systems,
                                                  const AlxConfig& config,
                                                  spmd::FloatBuffer& scratch) const
    {
        return {solve(systems[0], config, scratch), solve(systems[1], config, scratch)};
    }
    /// Whether that is faster than one by one.
    virtual bool solves_by_two(const AlxConfig& /*config*/) const { return false; }
    /// What it reads of an f32 matrix; of others it may read both triangles.
    virtual Triangle reads() const = 0;
    /// The counter under which a step reports the iterations of each device's slowest system; ""
    /// for a direct method.
    virtual std::string counter() const = 0;
    /// Adds the ops that solve the batch's systems of dim config.dim, read from
    /// "statistics.gramians" and "statistics.rhs", written to "solve.solutions" (f32). `effect`
    /// goes on one of them. Returns the index of the last.
    virtual int add_ops(model::OpGraph& graph, const AlxConfig& config, const SolveBatch& batch,
                        int after, std::shared_ptr<const model::Effect> effect) const = 0;
};

/// The three forms of `solve` from one: Numerics::solve(kernels, system, config, scratch), a
/// template over spmd::SolverKernels.
template <class Numerics>
class SolverOf : public Solver {
public:
    std::int64_t solve(const spmd::LinearSystem& system, const AlxConfig& config,
                       spmd::FloatBuffer& scratch) const override
    {
        return solve_with(system, config, scratch);
    }
    std::int64_t solve(const spmd::LinearSystemOf<double>& system, const AlxConfig& config,
                       spmd::Buffer<double>& scratch) const override
    {
        return solve_with(system, config, scratch);
    }
    std::int64_t solve(const spmd::LinearSystemOf<spmd::Bf16Number>& system,
                       const AlxConfig& config,
                       spmd::Buffer<spmd::Bf16Number>& scratch) const override
    {
        return solve_with(system, config, scratch);
    }

private:
    template <class Real>
    static std::int64_t solve_with(const spmd::LinearSystemOf<Real>& system,
                                   const AlxConfig& config, spmd::Buffer<Real>& scratch)
    {
        scratch.resize(std::max(scratch.size(), spmd::scratch_numbers(system.stride)));
        return Numerics::solve(spmd::solver_kernels<Real>(), system, config, scratch.data());
    }
};

const Registry<Solver>& solvers();

} // namespace alxsim::alx
