// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/tall_qr.h"

#include "spmd/linear/eigen_matrices.h"
#include "spmd/linear/householder.h"
#include "spmd/linear/op_parts.h"

#include <Eigen/QR>

#include <stdexcept>

namespace alxsim::spmd {
namespace {

using model::OpGraph;
using model::Repeat;

/// The ops of one matrix.
class Factorization {
public:
    Factorization(Matrices one, std::string q, std::string r)
        : one_(std::move(one)),
          q_(std::move(q)),
          r_(std::move(r))
    {
    }

    OpGraph graph() const
    {
        OpGraph graph;
        graph.name = "qr of a matrix";
        int last = graph.add(vector_op("take a matrix", one_.phase, copied(rows(), columns()),
                                       {{one_.buffer, one_.f32(rows() * columns())}},
                                       {{working(), one_.f32(rows() * columns())}}, {}));
        for (std::int64_t first = 0; first < columns(); first += factor_block) {
            last = add_panel(graph, first, last);
        }
        last = graph.add(vector_op("take R", one_.phase, copied(columns(), columns()),
                                   {{working(), one_.f32(columns() * columns())}},
                                   {{r_, one_.f32(columns() * columns())}}, {last}));
        const std::int64_t blocks = ceil_divide(columns(), factor_block);
        for (std::int64_t block = blocks - 1; block >= 0; --block) {
            last = add_block_of_q(graph, block * factor_block, last);
        }
        return graph;
    }

private:
    std::int64_t rows() const { return one_.rows; }
    std::int64_t columns() const { return one_.columns; }
    std::string working() const { return one_.between("working"); }
    std::int64_t width(std::int64_t first) const
    {
        return std::min(factor_block, columns() - first);
    }
    static model::Vector copied(std::int64_t rows, std::int64_t columns)
    {
        return elementwise(rows * columns, 1, columns);
    }

    int add_product(OpGraph& graph, const char* name, const model::Matmul& work,
                    const std::string& left, const std::string& right, const std::string& result,
                    int after) const
    {
        return graph.add({name,
                          one_.phase,
                          work,
                          {{left, one_.f32(work.m * work.k)}, {right, one_.f32(work.k * work.n)}},
                          {{result, one_.f32(work.m * work.n)}},
                          {after},
                          nullptr});
    }

    /// T of I + Y T Y^T: Y^T Y, then column by column.
    int add_compact_wy(OpGraph& graph, std::int64_t first, int after) const
    {
        const std::int64_t k = width(first);
        const Bytes square = one_.f32(k * k);
        after = add_product(graph, "Y^T Y", highest_matmul(1, k, rows() - first, k), working(),
                            working(), one_.between("t"), after);
        OpGraph column;
        column.name = "column of T";
        column.add(vector_op("T times a column", one_.phase, elementwise(k * k, 2, k),
                             {{one_.between("t"), square}}, {{one_.between("t"), one_.f32(k)}},
                             {}));
        return graph.add({"compact WY",
                          one_.phase,
                          Repeat{k, "", std::make_shared<OpGraph>(std::move(column))},
                          {{one_.between("t"), square}},
                          {{one_.between("t"), square}},
                          {after},
                          nullptr});
    }

    /// target += Y T (Y^T target), of the rows from `first` on and so many columns; `outer` is the
    /// product of [rows x k] with T, if the expander makes that first.
    int add_update(OpGraph& graph, std::int64_t first, std::int64_t right, bool y_t_first,
                   const std::string& target, int after) const
    {
        const std::int64_t k = width(first);
        const std::int64_t below = rows() - first;
        const std::string inner = one_.between("y_times");
        after = add_product(graph, "Y^T times the rest", highest_matmul(1, k, below, right),
                            working(), target, inner, after);
        if (y_t_first) {
            after = add_product(graph, "Y T", highest_matmul(1, below, k, k), working(),
                                one_.between("t"), one_.between("y_t"), after);
        } else {
            after = add_product(graph, "T times it", highest_matmul(1, k, k, right),
                                one_.between("t"), inner, inner, after);
        }
        after = add_product(graph, "update", highest_matmul(1, below, k, right),
                            y_t_first ? one_.between("y_t") : working(), inner,
                            one_.between("update"), after);
        const Bytes all = one_.f32(below * right);
        return graph.add(vector_op("add update", one_.phase, elementwise(below * right, 1, right),
                                   {{target, all}, {one_.between("update"), all}}, {{target, all}},
                                   {after}));
    }

    int add_panel(OpGraph& graph, std::int64_t first, int after) const
    {
        const std::int64_t k = width(first);
        const std::int64_t below = rows() - first;
        const Bytes block = one_.f32(below * k);
        after = graph.add({"reduce columns",
                           one_.phase,
                           Repeat{k, "",
                                  std::make_shared<OpGraph>(
                                      householder_column({one_.phase, one_.workspace, below, k}))},
                           {{working(), block}},
                           {{working(), block}},
                           {after},
                           nullptr});
        const std::int64_t right = columns() - first - k;
        return right == 0 ? after
                          : add_update(graph, first, right, true, working(),
                                       add_compact_wy(graph, first, after));
    }

    int add_block_of_q(OpGraph& graph, std::int64_t first, int after) const
    {
        return add_update(graph, first, columns() - first, false, q_,
                          add_compact_wy(graph, first, after));
    }

    Matrices one_;
    std::string q_, r_;
};

} // namespace

template <class Real>
void tall_qr(const Real* a, std::int64_t rows, std::int64_t columns, Real* q, Real* r)
{
    if (rows < columns) {
        throw std::logic_error("a tall QR of a matrix that is wide");
    }
    const Eigen::HouseholderQR<EigenMatrix<Real>> qr(eigen_matrix(a, rows, columns));
    EigenMatrix<Real> left = qr.householderQ() * EigenMatrix<Real>::Identity(rows, columns);
    EigenMatrix<Real> right =
        qr.matrixQR().topRows(columns).template triangularView<Eigen::Upper>();
    for (std::int64_t i = 0; i < columns; ++i) {
        if (right(i, i) < 0) {
            right.row(i) = -right.row(i);
            left.col(i) = -left.col(i);
        }
    }
    put(left, q);
    put(right, r);
}

template void tall_qr(const float*, std::int64_t, std::int64_t, float*, float*);
template void tall_qr(const double*, std::int64_t, std::int64_t, double*, double*);

int add_tall_qr(OpGraph& graph, const Matrices& a, const std::string& q, const std::string& r,
                int after, std::shared_ptr<const model::Effect> effect)
{
    Matrices one = a;
    one.count = 1;
    const Bytes square = a.f32(a.columns * a.columns);
    const Bytes all = a.f32(a.rows * a.columns);
    return graph.add(
        {"QR",
         a.phase,
         Repeat{a.count, "", std::make_shared<OpGraph>(Factorization(one, q, r).graph())},
         {{a.buffer, all}},
         {{q, all}, {r, square}},
         after_op(after),
         std::move(effect)});
}

double tall_qr_operations(std::int64_t rows, std::int64_t columns)
{
    const auto m = static_cast<double>(rows);
    const auto n = static_cast<double>(columns);
    return 4 * n * n * (m - n / 3);
}

} // namespace alxsim::spmd
