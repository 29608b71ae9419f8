// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/linear_systems.h"
#include "spmd/linear/op_parts.h"

#include <utility>

namespace alxsim::spmd {
namespace {

using model::OpGraph;
using model::Repeat;

/// r = p = b - A x0, which JAX computes although x0 = 0 and the TPU's compiler does not leave
/// out, with r r and b b, from which the tolerance follows.
int add_start(OpGraph& graph, const LinearSystems& batch, int after)
{
    const std::int64_t systems = batch.systems;
    const std::int64_t dim = batch.dim;
    const Bytes vectors(systems * dim * 4);
    const Bytes scalars(systems * 4);
    const int product =
        graph.add(vector_op("A x0", batch.phase, batched_matvec(systems * dim * dim, dim),
                            {{batch.matrices, vectors * dim}, {batch.rhs, vectors}},
                            {{batch.between("product"), vectors}}, {after}));
    const int residual =
        graph.add(vector_op("b - A x0, r r, b b", batch.phase, elementwise(systems * dim, 5, dim),
                            {{batch.rhs, vectors}, {batch.between("product"), vectors}},
                            {{batch.between("residual"), vectors},
                             {batch.between("direction"), vectors},
                             {batch.solutions, vectors},
                             {batch.between("gamma"), scalars}},
                            {product}));
    return graph.add(vector_op("tolerances", batch.phase, systems, 2,
                               {{batch.between("gamma"), scalars}},
                               {{batch.between("tolerance"), scalars}}, {residual}));
}

/// One iteration of the whole batch as the TPU's compiler makes it (libtpu 0.0.42.1, v3): seven
/// fusions and the loop's test. The product is a multiply and a sum on the vector unit in f32,
/// without the MXU. A select keeps finished systems as they are. The sums over vectors are
/// taken as elementwise: they are a hundredth of the product.
OpGraph iteration_body(const LinearSystems& batch)
{
    const std::int64_t systems = batch.systems;
    const std::int64_t dim = batch.dim;
    const std::int64_t numbers = systems * dim;
    const model::BufferUse direction{batch.between("direction"), Bytes(numbers * 4)};
    const model::BufferUse product{batch.between("product"), Bytes(numbers * 4)};
    const model::BufferUse residual{batch.between("residual"), Bytes(numbers * 4)};
    const model::BufferUse solutions{batch.solutions, Bytes(numbers * 4)};
    const model::BufferUse gamma{batch.between("gamma"), Bytes(systems * 4)};
    const model::BufferUse active{batch.between("active"), Bytes(systems)};
    const model::BufferUse step{batch.between("step"), Bytes(systems * 4)};
    const model::BufferUse tolerance{batch.between("tolerance"), Bytes(systems * 4)};
    OpGraph body;
    body.name = "cg iteration";
    const auto add = [&](const char* name, const model::Vector& work,
                         std::vector<model::BufferUse> reads,
                         std::vector<model::BufferUse> writes) {
        const int last = static_cast<int>(body.ops.size()) - 1;
        body.add(vector_op(name, batch.phase, work, std::move(reads), std::move(writes),
                           last < 0 ? std::vector<int>{} : std::vector<int>{last}));
    };
    add("who goes on", elementwise(systems, 3, systems), {gamma, tolerance}, {active});
    add("A p", batched_matvec(numbers * dim, dim),
        {{batch.matrices, direction.touched * dim}, direction}, {product});
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

} // namespace

int add_conjugate_gradients(OpGraph& graph, const LinearSystems& batch,
                            const IterationsExpected& expected, int after,
                            std::shared_ptr<const model::Effect> effect)
{
    const Bytes vectors = batch.f32(batch.dim);
    const int started = add_start(graph, batch, after);
    Repeat repeat;
    repeat.times = expected.iterations;
    repeat.counter = expected.counter;
    repeat.body = std::make_shared<OpGraph>(iteration_body(batch));
    return graph.add({"conjugate gradients",
                      batch.phase,
                      repeat,
                      {{batch.matrices, vectors * batch.dim}},
                      {{batch.solutions, vectors}},
                      {started},
                      std::move(effect)});
}

} // namespace alxsim::spmd
