// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/symmetric_eigen.h"

#include "spmd/linear/eigen_matrices.h"
#include "spmd/linear/op_parts.h"
#include "spmd/linear/polar.h"
#include "spmd/linear/tall_qr.h"

#include <Eigen/Eigenvalues>

namespace alxsim::spmd {
namespace {

using model::OpGraph;
using model::Repeat;

/// JAX's: a matrix of so many rows is left to Jacobi's rotations.
constexpr std::int64_t most_for_jacobi = 256;

/// Jacobi's rotations of a batch, in place: what was `a_.buffer` becomes the values' diagonal.
class Jacobi {
public:
    /// An odd size has a row of zeros more.
    Jacobi(const Matrices& a, std::string vectors)
        : a_(a),
          vectors_(std::move(vectors)),
          n_((a.rows + 1) / 2 * 2)
    {
    }

    Repeat sweeps() const
    {
        OpGraph sweep;
        sweep.name = "jacobi sweep";
        const int norms = sweep.add(vector_op("norms", a_.phase, row_sums(all(), 4, n_ / 2),
                                              {{a_.buffer, bytes(all())}}, {}, {}));
        sweep.add({"rounds",
                   a_.phase,
                   Repeat{n_ - 1, "", std::make_shared<OpGraph>(round())},
                   {{a_.buffer, bytes(all())}, {vectors_, bytes(all())}},
                   {{a_.buffer, bytes(all())}, {vectors_, bytes(all())}},
                   {norms},
                   nullptr});
        return {jacobi_sweeps(a_.rows), "", std::make_shared<OpGraph>(std::move(sweep))};
    }

private:
    std::int64_t all() const { return a_.count * n_ * n_; }
    static Bytes bytes(std::int64_t numbers) { return Bytes(numbers * 4); }

    /// n / 2 rotations of rows and columns that are in no two of them, in quadrants of n / 2.
    OpGraph round() const
    {
        const std::int64_t pairs = a_.count * n_ / 2;
        const std::string rotations = a_.between("rotations");
        OpGraph round;
        round.name = "jacobi round";
        // tau, its root, t, the cosine: two divisions, two roots and twelve others.
        model::Vector angles = elementwise(pairs, 16, n_ / 2);
        angles.division_per_element = 4;
        int last =
            round.add(vector_op("rotations", a_.phase, angles, {{a_.buffer, bytes(3 * pairs)}},
                                {{rotations, bytes(2 * pairs)}}, {}));
        // Two products and a sum for each number; and its move to where its next partner is.
        for (const auto& [name, buffer, ops] :
             {std::tuple<const char*, std::string, double>("rotate rows", a_.buffer, 3),
              {"rotate columns", a_.buffer, 3},
              {"move rows and columns", a_.buffer, 2},
              {"rotate and move vectors", vectors_, 4}}) {
            last = round.add(vector_op(name, a_.phase, elementwise(all(), ops, n_ / 2),
                                       {{buffer, bytes(all())}, {rotations, bytes(2 * pairs)}},
                                       {{buffer, bytes(all())}}, {last}));
        }
        return round;
    }

    const Matrices& a_;
    std::string vectors_;
    std::int64_t n_;
};

/// The parts of one matrix of more rows than Jacobi's rotations take.
class DivideAndConquer {
public:
    DivideAndConquer(Matrices one, std::string vectors)
        : one_(std::move(one)),
          vectors_(std::move(vectors))
    {
    }

    /// The sizes of arrays in which parts are kept are static: that of the whole; then its 1.98th
    /// part, half of that, ..., as multiples of 32, so that a part a little larger than half fits.
    OpGraph graph() const
    {
        OpGraph graph;
        graph.name = "eigenvalues of a matrix";
        int last = -1;
        std::int64_t parts = 1;
        std::int64_t part = one_.rows;
        auto next_size = static_cast<std::int64_t>(static_cast<double>(part) / 1.98);
        for (std::int64_t size = part; part > most_for_jacobi;
             size = round_up(next_size, 32), next_size /= 2) {
            last = graph.add(repeated("split a part", parts, split(size), last));
            parts *= 2;
            part = ceil_divide(part, 2);
            next_size = std::max(next_size, part);
        }
        graph.add(repeated("parts", parts, leaf(), last));
        return graph;
    }

private:
    std::int64_t n() const { return one_.rows; }
    std::string part() const { return one_.between("part"); }

    model::Op repeated(const char* name, std::int64_t times, OpGraph body, int after) const
    {
        const Bytes all = one_.f32(n() * n());
        return {name,
                one_.phase,
                Repeat{times, "", std::make_shared<OpGraph>(std::move(body))},
                {{one_.buffer, all}, {vectors_, all}},
                {{one_.buffer, all}, {vectors_, all}},
                after_op(after),
                nullptr};
    }

    int add_product(OpGraph& graph, const char* name, std::int64_t m, std::int64_t size,
                    const std::string& left, const std::string& right, const std::string& result,
                    int after) const
    {
        return graph.add({name,
                          one_.phase,
                          highest_matmul(1, m, size, size),
                          {{left, one_.f32(m * size)}, {right, one_.f32(size * size)}},
                          {{result, one_.f32(m * size)}},
                          {after},
                          nullptr});
    }

    /// The polar factor of H - sigma I, the subspaces of the smaller projector by a QR, their error
    /// (one round, as they are that good), H within each and the vectors so far times each.
    OpGraph split(std::int64_t size) const
    {
        const Bytes all = one_.f32(size * size);
        const std::string u = one_.between("u");
        const std::string q = one_.between("q");
        const std::string product = one_.between("product");
        OpGraph graph;
        graph.name = "split";
        int last = graph.add(vector_op("shift", one_.phase, elementwise(size * size, 2, size),
                                       {{one_.buffer, all}}, {{part(), all}}, {}));
        last =
            add_polar(graph, one_.others(size, size, part(), "split"), u, one_.between("h"), last);
        last = graph.add(vector_op("projector and norms", one_.phase,
                                   row_sums(size * size, 5, size), {{u, all}}, {{u, all}}, {last}));
        last = graph.add({"sort columns",
                          one_.phase,
                          model::RowGather{size, Bytes(size * 4), size},
                          {{u, all}},
                          {{u, all}},
                          {last},
                          nullptr});
        last = add_tall_qr(graph, one_.others(size, size, u, "subspace"), q, one_.between("r"),
                           last, nullptr);
        for (const char* name :
             {"V2^T H", "V2^T H V1", "V1^T H", "V1^T H V1", "V2^T H", "V2^T H V2"}) {
            last = add_product(graph, name, size, size, q, part(), product, last);
        }
        for (const char* name : {"vectors V1", "vectors V2"}) {
            last = add_product(graph, name, n(), size, vectors_, q, vectors_, last);
        }
        return graph;
    }

    OpGraph leaf() const
    {
        OpGraph graph;
        graph.name = "part";
        const Matrices small = one_.others(most_for_jacobi, most_for_jacobi, part(), "jacobi");
        const std::int64_t numbers = most_for_jacobi * most_for_jacobi;
        int last = graph.add(
            vector_op("take a part", one_.phase, elementwise(numbers, 1, most_for_jacobi),
                      {{one_.buffer, small.f32(numbers)}}, {{part(), small.f32(numbers)}}, {}));
        last = graph.add({"jacobi",
                          one_.phase,
                          Jacobi(small, one_.between("q")).sweeps(),
                          {{part(), small.f32(numbers)}},
                          {{one_.between("q"), small.f32(numbers)}},
                          {last},
                          nullptr});
        add_product(graph, "vectors of the whole", n(), most_for_jacobi, vectors_,
                    one_.between("q"), vectors_, last);
        return graph;
    }

    Matrices one_;
    std::string vectors_;
};

} // namespace

template <class Real>
void symmetric_eigen(const Real* a, std::int64_t n, Real* values, Real* vectors)
{
    if (!all_finite(a, n * n)) {
        fill_with_nan(values, n);
        fill_with_nan(vectors, n * n);
        return;
    }
    const Eigen::SelfAdjointEigenSolver<EigenMatrix<Real>> solver(eigen_matrix(a, n, n));
    EigenMatrix<Real> columns = solver.eigenvectors();
    for (std::int64_t i = 0; i < n; ++i) {
        columns.col(i) *= sign_of_largest(columns.col(i));
    }
    put(solver.eigenvalues(), values);
    put(columns, vectors);
}

template void symmetric_eigen(const float*, std::int64_t, float*, float*);
template void symmetric_eigen(const double*, std::int64_t, double*, double*);

int add_symmetric_eigen(OpGraph& graph, const Matrices& a, const std::string& values,
                        const std::string& vectors, int after,
                        std::shared_ptr<const model::Effect> effect)
{
    const std::int64_t n = a.rows;
    const Bytes all = a.f32(n * n);
    Repeat work;
    if (n <= most_for_jacobi) {
        Matrices rotated = a;
        rotated.buffer = a.between("rotated");
        after = graph.add(vector_op("take matrices", a.phase, elementwise(a.count * n * n, 1, n),
                                    {{a.buffer, all}}, {{rotated.buffer, all}}, after_op(after)));
        work = Jacobi(rotated, vectors).sweeps();
    } else {
        Matrices one = a;
        one.count = 1;
        work = {a.count, "", std::make_shared<OpGraph>(DivideAndConquer(one, vectors).graph())};
    }
    after = graph.add({"eigenvalues",
                       a.phase,
                       work,
                       {{a.buffer, all}},
                       {{vectors, all}},
                       after_op(after),
                       nullptr});
    return graph.add({"sort",
                      a.phase,
                      model::RowGather{a.count * n, Bytes(n * 4), a.count * n},
                      {{vectors, all}},
                      {{vectors, all}, {values, a.f32(n)}},
                      {after},
                      std::move(effect)});
}

int add_eigen_by_products(OpGraph& graph, const Matrices& a, const std::string& values,
                          const std::string& vectors, std::int64_t products, int after)
{
    const std::int64_t n = a.rows;
    const Bytes all = a.f32(n * n);
    OpGraph product;
    product.name = "a product of eigenvectors";
    product.add({"multiply",
                 a.phase,
                 highest_matmul(1, n, n, n),
                 {{a.buffer, all}, {vectors, all}},
                 {{vectors, all}},
                 {},
                 nullptr});
    return graph.add({"eigenvectors by products",
                      a.phase,
                      Repeat{products, "", std::make_shared<OpGraph>(std::move(product))},
                      {{a.buffer, all}},
                      {{vectors, all}, {values, a.f32(n)}},
                      after_op(after),
                      nullptr});
}

std::int64_t jacobi_sweeps(std::int64_t n)
{
    std::int64_t sweeps = 5;
    while ((std::int64_t{1} << sweeps) < n) {
        ++sweeps;
    }
    return sweeps;
}

double jacobi_sweep_operations(std::int64_t n)
{
    const auto size = static_cast<double>(n);
    return 6 * size * size * size;
}

} // namespace alxsim::spmd
