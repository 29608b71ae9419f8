// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/solver.h"

#include "base/units.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace alxsim::alx {
namespace {

using model::OpGraph;
using model::Repeat;

/// Block size of XLA's Cholesky expander (openxla/xla, cholesky_expander.cc).
constexpr int block_size = 128;
/// Precision HIGHEST: an f32 product on bf16 hardware takes six passes.
constexpr int highest_passes = 6;

/// A = L L^T, then two triangular solves.
class CholeskySolver : public Solver {
public:
    std::int64_t solve(const LinearSystem& system, const AlxConfig& /*config*/,
                       FloatBuffer& /*scratch*/) const override
    {
        using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic>;
        using Stride = Eigen::OuterStride<>;
        Eigen::Map<Matrix, 0, Stride> matrix(system.matrix, system.dim, system.dim,
                                             Stride(system.stride));
        Eigen::Map<Eigen::VectorXf> x(system.solution, system.dim);
        std::copy_n(system.rhs, system.stride, system.solution);
        const Eigen::LLT<Eigen::Ref<Matrix, 0, Stride>> factors(matrix);
        factors.solveInPlace(x);
        return 0;
    }

    std::string counter() const override { return ""; }

    int add_ops(OpGraph& graph, const AlxConfig& config, std::int64_t systems, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        const Bytes vectors(systems * config.dim * 4);
        const Bytes matrices = vectors * config.dim;
        Repeat factor{config.dim, "", std::make_shared<OpGraph>(factor_body(config.dim, systems))};
        const int factored = graph.add({"factor",
                                        "solve",
                                        factor,
                                        {{"statistics.gramians", matrices}},
                                        {{"solve.factors", matrices}},
                                        {after},
                                        nullptr});
        Repeat forward{config.dim, "", substitution_body("forward", config.dim, systems)};
        const int forwarded = graph.add({"forward substitution",
                                         "solve",
                                         forward,
                                         {{"solve.factors", matrices}, {"statistics.rhs", vectors}},
                                         {{"solve.intermediate", vectors}},
                                         {factored},
                                         nullptr});
        Repeat backward{config.dim, "", substitution_body("backward", config.dim, systems)};
        return graph.add({"backward substitution",
                          "solve",
                          backward,
                          {{"solve.factors", matrices}, {"solve.intermediate", vectors}},
                          {{"solve.solutions", vectors}},
                          {forwarded},
                          std::move(effect)});
    }

private:
    /// The open XLA expander's unblocked loop: for each column a full L L^T product of the block
    /// and an update of the column. That the TPU compiler of the time did the same is assumed. For
    /// dim > 128 the updates between blocks are left out; they are small beside the loop.
    static OpGraph factor_body(int dim, std::int64_t systems)
    {
        const std::int64_t block = std::min(dim, block_size);
        const Bytes vectors(systems * dim * 4);
        OpGraph body;
        body.name = "cholesky column";
        model::Matmul product{systems,           block,          block, block,
                              model::DType::f32, highest_passes, true};
        const int multiplied = body.add({"L L^T",
                                         "solve",
                                         product,
                                         {{"solve.factors", vectors * dim}},
                                         {{"solve.column_products", vectors * block}},
                                         {},
                                         nullptr});
        body.add(vector_op(
            "update column", "solve", systems * dim, 4,
            {{"solve.column_products", vectors * block}, {"statistics.gramians", vectors * dim}},
            {{"solve.factors", vectors * dim}}, {multiplied}));
        return body;
    }

    static std::shared_ptr<const OpGraph> substitution_body(const std::string& name, int dim,
                                                            std::int64_t systems)
    {
        const Bytes vectors(systems * dim * 4);
        const std::string target = name == "forward" ? "solve.intermediate" : "solve.solutions";
        auto body = std::make_shared<OpGraph>();
        body->name = name + " substitution row";
        body->add(vector_op("row of " + name + " substitution", "solve", systems * dim, 2,
                            {{"solve.factors", vectors * dim}, {target, vectors}},
                            {{target, vectors}}, {}));
        return body;
    }
};

} // namespace

std::unique_ptr<const Solver> make_cholesky_solver();

std::unique_ptr<const Solver> make_cholesky_solver()
{
    return std::make_unique<CholeskySolver>();
}

} // namespace alxsim::alx
