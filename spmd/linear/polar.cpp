// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/polar.h"

#include "base/portable_math.h"
#include "spmd/linear/linear_systems.h"
#include "spmd/linear/op_parts.h"
#include "spmd/linear/tall_qr.h"
#include "spmd/linear/triangular.h"

#include <cmath>
#include <limits>

namespace alxsim::spmd {
namespace {

using model::OpGraph;

/// The ops of one decomposition.
class Polar {
public:
    Polar(OpGraph& graph, const Matrices& a, const std::string& u, const std::string& h, int after)
        : graph_(graph),
          a_(a),
          u_(u),
          h_(h),
          last_(after)
    {
    }

    int add()
    {
        // Two norms, then divided by them.
        vector("norms", row_sums(all(), 3, columns()), {a_.buffer}, {});
        vector("scale", elementwise(all(), 1, columns()), {a_.buffer}, {u_});
        const PolarIterations iterations = polar_iterations();
        for (int i = 0; i < iterations.with_qr; ++i) {
            iterate_with_qr();
        }
        for (int i = 0; i < iterations.with_cholesky; ++i) {
            iterate_with_cholesky();
        }
        refine();
        return last_;
    }

private:
    std::int64_t rows() const { return a_.rows; }
    std::int64_t columns() const { return a_.columns; }
    std::int64_t all() const { return a_.count * rows() * columns(); }
    std::int64_t square() const { return a_.count * columns() * columns(); }

    void vector(const char* name, const model::Vector& work, const std::vector<std::string>& reads,
                const std::vector<std::string>& writes)
    {
        const auto uses = [&](const std::vector<std::string>& buffers) {
            std::vector<model::BufferUse> list;
            list.reserve(buffers.size());
            for (const std::string& buffer : buffers) {
                list.push_back({buffer, Bytes(work.elements * 4)});
            }
            return list;
        };
        last_ =
            graph_.add(vector_op(name, a_.phase, work, uses(reads), uses(writes), after_op(last_)));
    }

    void product(const char* name, std::int64_t m, std::int64_t k, std::int64_t n,
                 const std::string& left, const std::string& right, const std::string& result)
    {
        last_ = graph_.add({name,
                            a_.phase,
                            highest_matmul(a_.count, m, k, n),
                            {{left, a_.f32(m * k)}, {right, a_.f32(k * n)}},
                            {{result, a_.f32(m * n)}},
                            after_op(last_),
                            nullptr});
    }

    /// U below the identity, its Q in two parts, and e U + (a - e) / sqrt c Q1 Q2^T.
    void iterate_with_qr()
    {
        const std::string stacked = a_.between("stacked");
        const std::string q = a_.between("stacked_q");
        vector("stack the identity", elementwise(all() + square(), 1, columns()), {u_}, {stacked});
        last_ = add_tall_qr(graph_, a_.others(rows() + columns(), columns(), stacked, "polar_qr"),
                            q, a_.between("stacked_r"), last_, nullptr);
        product("Q1 Q2^T", rows(), columns(), columns(), q, q, a_.between("product"));
        vector("weigh", elementwise(all(), 3, columns()), {u_, a_.between("product")}, {u_});
    }

    /// I + c U^T U = L L^T, two triangular solves, and e U + (a - e) of their result.
    void iterate_with_cholesky()
    {
        const std::string gramian = a_.between("gramian");
        product("U^T U", columns(), rows(), columns(), u_, u_, gramian);
        vector("weigh, add the identity", elementwise(square(), 2, columns()), {gramian},
               {gramian});
        LinearSystems systems;
        systems.systems = a_.count;
        systems.dim = columns();
        systems.matrices = gramian;
        systems.phase = a_.phase;
        systems.workspace = a_.between("polar_cholesky");
        last_ = add_cholesky(graph_, systems, last_);
        const std::string factors = systems.between("factors");
        for (const auto& [name, rhs] : {std::pair<const char*, std::string>("forward", u_),
                                        {"backward", a_.between("solved")}}) {
            last_ = add_triangular_solve(graph_,
                                         {a_.phase, systems.workspace, name, a_.count, columns(),
                                          rows(), factors, rhs, a_.between("solved")},
                                         last_);
        }
        vector("weigh", elementwise(all(), 3, columns()), {u_, a_.between("solved")}, {u_});
        vector("norm of what changed", row_sums(all(), 3, columns()), {u_, a_.between("solved")},
               {});
    }

    /// U (3 I - U^T U) / 2, then H = U^T A made symmetric.
    void refine()
    {
        const std::string gramian = a_.between("gramian");
        product("U^T U", columns(), rows(), columns(), u_, u_, gramian);
        product("U U^T U", rows(), columns(), columns(), u_, gramian, a_.between("product"));
        vector("refine", elementwise(all(), 3, columns()), {u_, a_.between("product")}, {u_});
        product("U^T A", columns(), rows(), columns(), u_, a_.buffer, h_);
        vector("make symmetric", elementwise(square(), 2, columns()), {h_}, {h_});
    }

    OpGraph& graph_;
    const Matrices& a_;
    const std::string& u_;
    const std::string& h_;
    int last_;
};

} // namespace

PolarIterations polar_iterations()
{
    constexpr double epsilon = std::numeric_limits<float>::epsilon();
    constexpr double tolerance = 5 * epsilon;
    constexpr double most_for_cholesky = 100;
    PolarIterations iterations;
    for (double l = epsilon; l + tolerance < 1;) {
        const double l2 = l * l;
        const double d = portable::pow(4 * (1 / l2 - 1) / l2, 1.0 / 3);
        const double root = std::sqrt(1 + d);
        const double a = root + std::sqrt(2 - d + 2 * (2 - l2) / (l2 * root));
        const double b = (a - 1) * (a - 1) / 4;
        const double c = a + b - 1;
        l *= (a + b * l2) / (1 + c * l2);
        ++(c > most_for_cholesky ? iterations.with_qr : iterations.with_cholesky);
    }
    return iterations;
}

int add_polar(OpGraph& graph, const Matrices& a, const std::string& u, const std::string& h,
              int after)
{
    return Polar(graph, a, u, h, after).add();
}

} // namespace alxsim::spmd
