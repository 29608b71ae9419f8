// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/householder.h"
#include "spmd/linear/linear_systems.h"
#include "spmd/linear/op_parts.h"
#include "spmd/linear/triangular.h"

#include <utility>

namespace alxsim::spmd {
namespace {

using model::OpGraph;
using model::Repeat;

/// One reflector applied to the right-hand side: mask, multiply, add; then multiply, subtract.
OpGraph rotation_body(const LinearSystems& batch)
{
    const std::int64_t dim = batch.dim;
    const Bytes vector = f32(dim);
    OpGraph body;
    body.name = "reflect right-hand side";
    const int product = body.add(
        vector_op("v^T b", batch.phase, row_sums(dim, 3, dim),
                  {{batch.between("working"), vector}, {batch.between("working_rhs"), vector}},
                  {{batch.between("projection"), f32(1)}}, {}));
    body.add(vector_op("b -= tau v (v^T b)", batch.phase, elementwise(dim, 2, dim),
                       {{batch.between("working"), vector},
                        {batch.between("working_rhs"), vector},
                        {batch.between("projection"), f32(1)}},
                       {{batch.between("working_rhs"), vector}}, {product}));
    return body;
}

OpGraph system_body(const LinearSystems& batch)
{
    const std::int64_t dim = batch.dim;
    OpGraph body;
    body.name = "qr system";
    const int loaded = body.add(vector_op(
        "take a system", batch.phase, elementwise(dim * dim, 1, dim),
        {{batch.matrices, f32(dim * dim)}, {batch.rhs, f32(dim)}},
        {{batch.between("working"), f32(dim * dim)}, {batch.between("working_rhs"), f32(dim)}},
        {}));
    const int reduced = body.add({"reduce columns",
                                  batch.phase,
                                  Repeat{dim, "",
                                         std::make_shared<OpGraph>(householder_column(
                                             {batch.phase, batch.workspace, dim, dim}))},
                                  {{batch.between("working"), f32(dim * dim)}},
                                  {{batch.between("working"), f32(dim * dim)}},
                                  {loaded},
                                  nullptr});
    const int rotated = body.add(
        {"Q^T b",
         batch.phase,
         Repeat{dim, "", std::make_shared<OpGraph>(rotation_body(batch))},
         {{batch.between("working"), f32(dim * dim)}, {batch.between("working_rhs"), f32(dim)}},
         {{batch.between("working_rhs"), f32(dim)}},
         {reduced},
         nullptr});
    body.add(vector_op(
        "put a system", batch.phase, elementwise(dim * dim, 1, dim),
        {{batch.between("working"), f32(dim * dim)}, {batch.between("working_rhs"), f32(dim)}},
        {{batch.between("factors"), f32(dim * dim)}, {batch.between("rotated"), f32(dim)}},
        {rotated}));
    return body;
}

} // namespace

int add_qr_solve(OpGraph& graph, const LinearSystems& batch, int after,
                 std::shared_ptr<const model::Effect> effect)
{
    const std::int64_t systems = batch.systems;
    const std::int64_t dim = batch.dim;
    const int factored =
        graph.add({"factor systems",
                   batch.phase,
                   Repeat{systems, "", std::make_shared<OpGraph>(system_body(batch))},
                   {{batch.matrices, f32(systems * dim * dim)}, {batch.rhs, f32(systems * dim)}},
                   {{batch.between("factors"), f32(systems * dim * dim)},
                    {batch.between("rotated"), f32(systems * dim)}},
                   {after},
                   nullptr});
    const int last =
        add_triangular_solve(graph,
                             {batch.phase, batch.workspace, "backward", systems, dim, 1,
                              batch.between("factors"), batch.between("rotated"), batch.solutions},
                             factored);
    graph.ops[static_cast<std::size_t>(last)].effect = std::move(effect);
    return last;
}

} // namespace alxsim::spmd
