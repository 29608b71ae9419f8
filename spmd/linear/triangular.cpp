// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/triangular.h"

#include "base/units.h"

#include <algorithm>

namespace alxsim::spmd {
namespace {

using model::OpGraph;
using model::Repeat;

/// The expander's rule: a batch of more than block / 16 systems, each smaller than block / 4.
bool row_by_row(const TriangularSolve& solve)
{
    return solve.dim == 1 || (solve.systems > factor_block / 16 && solve.dim < factor_block / 4);
}

/// One op per row, unrolled: row j is b_j less L[j, :j] X[:j], over the diagonal.
int add_rows(OpGraph& graph, const TriangularSolve& solve, int after)
{
    const std::int64_t numbers = solve.systems * solve.columns;
    for (std::int64_t row = 0; row < solve.dim; ++row) {
        const std::int64_t inner = std::max<std::int64_t>(row, 1);
        after = graph.add(vector_op("row of " + solve.name + " substitution", solve.phase,
                                    row_sums(numbers * inner, 2, inner),
                                    {{solve.factors, f32(solve.systems * (row + 1))},
                                     {solve.rhs, f32(numbers)},
                                     {solve.target, f32(numbers * row)}},
                                    {{solve.target, f32(numbers)}}, {after}));
    }
    return after;
}

/// The diagonal blocks [blocks x block x block] of the whole batch, inverted row by row.
class BlockInversion {
public:
    explicit BlockInversion(const TriangularSolve& solve)
        : solve_(solve),
          block_(std::min(solve.dim, factor_block)),
          blocks_(solve.systems * ceil_divide(solve.dim, block_))
    {
    }

    std::int64_t block() const { return block_; }
    std::string inverse() const { return solve_.workspace + "." + solve_.name + "_inverse"; }

    int add(OpGraph& graph, int after) const
    {
        // The triangle, divided by its diagonal; the inverse starts as minus the identity.
        const int scaled = graph.add(
            vector_op("scale " + solve_.name + " blocks", solve_.phase,
                      division(blocks_ * block_ * block_, block_), {{solve_.factors, squares()}},
                      {{scaled_blocks(), squares()}, {inverse(), squares()}}, {after}));
        return graph.add({"invert " + solve_.name + " blocks",
                          solve_.phase,
                          Repeat{block_ - 1, "", std::make_shared<OpGraph>(row_body())},
                          {{scaled_blocks(), squares()}},
                          {{inverse(), squares()}},
                          {scaled},
                          nullptr});
    }

private:
    Bytes squares() const { return f32(blocks_ * block_ * block_); }
    Bytes rows() const { return f32(blocks_ * block_); }
    std::string scaled_blocks() const { return solve_.workspace + "." + solve_.name + "_scaled"; }

    /// A row of each block times its whole inverse so far: static shapes, so no shorter product. On
    /// the vector unit, as the matrix-vector product of CG.
    OpGraph row_body() const
    {
        const std::string row = solve_.workspace + "." + solve_.name + "_row";
        OpGraph body;
        body.name = "invert a row";
        const int product = body.add(vector_op(
            "row times inverse", solve_.phase, elementwise(blocks_ * block_ * block_, 2, block_),
            {{scaled_blocks(), rows()}, {inverse(), squares()}}, {{row, rows()}}, {}));
        body.add(vector_op("put row into inverse", solve_.phase,
                           elementwise(blocks_ * block_, 1, block_), {{row, rows()}},
                           {{inverse(), rows()}}, {product}));
        return body;
    }

    const TriangularSolve& solve_;
    std::int64_t block_;
    std::int64_t blocks_;
};

/// [rows x inner] of `matrix` times [inner x columns]: on the vector unit for one column, else on
/// the MXU.
int add_product(OpGraph& graph, const TriangularSolve& solve, const std::string& matrix,
                std::int64_t rows, std::int64_t inner, int after)
{
    const std::int64_t numbers = solve.systems * solve.columns;
    std::vector<model::BufferUse> reads{{matrix, f32(solve.systems * rows * inner)},
                                        {solve.rhs, f32(numbers * rows)},
                                        {solve.target, f32(numbers * inner)}};
    std::vector<model::BufferUse> writes{{solve.target, f32(numbers * rows)}};
    const std::string name = "block of " + solve.name + " substitution";
    if (solve.columns == 1) {
        return graph.add(vector_op(name, solve.phase, row_sums(numbers * rows * inner, 2, inner),
                                   std::move(reads), std::move(writes), {after}));
    }
    return graph.add({name,
                      solve.phase,
                      highest_matmul(solve.systems, solve.columns, inner, rows),
                      std::move(reads),
                      std::move(writes),
                      {after},
                      nullptr});
}

} // namespace

int add_triangular_solve(OpGraph& graph, const TriangularSolve& solve, int after)
{
    if (row_by_row(solve)) {
        return add_rows(graph, solve, after);
    }
    const BlockInversion inversion(solve);
    int last = inversion.add(graph, after);
    for (std::int64_t done = 0; done < solve.dim; done += inversion.block()) {
        const std::int64_t rows = std::min(inversion.block(), solve.dim - done);
        if (done > 0) {
            last = add_product(graph, solve, solve.factors, rows, done, last);
        }
        last = add_product(graph, solve, inversion.inverse(), rows, rows, last);
    }
    return last;
}

} // namespace alxsim::spmd
