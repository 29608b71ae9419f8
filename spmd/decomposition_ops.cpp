// SPDX-License-Identifier: Apache-2.0
#include "spmd/decomposition_ops.h"

#include "spmd/linear/svd.h"
#include "spmd/linear/symmetric_eigen.h"
#include "spmd/linear/tall_qr.h"

#include <stdexcept>

namespace alxsim::spmd {
namespace {

Matrices matrices_of(const StepBuilder& step, const std::string& phase, Array a)
{
    const Shape& shape = step.shape(a);
    return {1, shape.rows, shape.columns, step.buffer(a), phase, phase};
}

/// A QR that each device makes of its own array.
TallQr add_local_qr(StepBuilder& step, const std::string& name, Array a)
{
    const Shape shape = step.shape(a);
    const model::DType dtype = step.dtype(a);
    const TallQr local{step.array(name + ".q", shape, dtype),
                       step.array(name + ".r", {shape.columns, shape.columns}, dtype)};
    model::OpGraph ops;
    ops.name = name;
    add_tall_qr(ops, matrices_of(step, name, a), step.buffer(local.q), step.buffer(local.r), -1,
                nullptr);
    step.compute_graph(name, name, std::move(ops), {a}, {local.q, local.r}, [=](const auto& on) {
        tall_qr(on(a), shape.rows, shape.columns, on(local.q), on(local.r));
    });
    return local;
}

/// One level of the tree: the R of a QR of all R's along the axis, and Q times this device's part
/// of that one's Q.
TallQr add_level(StepBuilder& step, const std::string& name, const TallQr& below,
                 const std::string& axis)
{
    const Shape shape = step.shape(below.q);
    const std::int64_t n = shape.columns;
    const model::DType dtype = step.dtype(below.q);
    const Array stacked = step.array(name + ".stacked", {step.mesh().length(axis) * n, n}, dtype);
    step.collective(name, model::CollectiveKind::all_gather, axis, below.r, stacked);
    const TallQr level = add_local_qr(step, name, stacked);
    const Array q = step.array(name + ".product", shape, dtype);
    const ProductShape product{shape.rows, n, n};
    step.compute(name + ".q", name, matmul_of(1, product, dtype),
                 {below.q, {level.q, 1.0 / step.mesh().length(axis)}}, {q},
                 [=, mesh = step.mesh()](const auto& on) {
                     using Real = typename std::decay_t<decltype(on)>::Number;
                     const std::int64_t part = mesh.position(on.device(), axis);
                     set_product(Factors<Real>{{on(below.q), n},
                                               {on(level.q) + part * n * n, n},
                                               {on(q), n}},
                                 product);
                 });
    return {q, level.r};
}

} // namespace

TallQr add_tall_qr(StepBuilder& step, const std::string& name, Array a,
                   const std::vector<std::string>& axes)
{
    if (step.shape(a).rows < step.shape(a).columns) {
        throw std::logic_error("a tall QR of " + name +
                               " whose devices have fewer rows than columns");
    }
    TallQr qr = add_local_qr(step, name + ".local", a);
    for (const std::string& axis : axes) {
        if (step.mesh().length(axis) > 1) {
            qr = add_level(step, name + "." + axis, qr, axis);
        }
    }
    return qr;
}

TallSvd add_tall_svd(StepBuilder& step, const std::string& name, Array a,
                     const std::vector<std::string>& axes)
{
    const TallQr qr = add_tall_qr(step, name, a, axes);
    const std::int64_t n = step.shape(a).columns;
    const model::DType dtype = step.dtype(a);
    const std::string phase = name + ".svd";
    const Array small = step.array(phase + ".u", {n, n}, dtype);
    const TallSvd all{step.array(name + ".u", step.shape(a), dtype),
                      step.array(name + ".s", {1, n}, dtype),
                      step.array(name + ".vt", {n, n}, dtype)};
    model::OpGraph ops;
    ops.name = phase;
    add_svd(ops, matrices_of(step, phase, qr.r),
            {step.buffer(small), step.buffer(all.s), step.buffer(all.vt)}, -1, nullptr);
    step.compute_graph(
        phase, phase, std::move(ops), {qr.r}, {small, all.s, all.vt},
        [=](const auto& on) { svd(on(qr.r), n, n, on(small), on(all.s), on(all.vt)); });
    step.multiply(name + ".u", phase, {qr.q}, {small}, {all.u});
    return all;
}

GramianEigen add_gramian_eigen(StepBuilder& step, const std::string& name, Array a,
                               const std::vector<std::string>& axes)
{
    const Shape shape = step.shape(a);
    const std::int64_t n = shape.columns;
    const model::DType dtype = step.dtype(a);
    const GramianEigen all{step.array(name + ".gramian", {n, n}, dtype),
                           step.array(name + ".values", {1, n}, dtype),
                           step.array(name + ".vectors", {n, n}, dtype)};
    const ProductShape product{n, shape.rows, n};
    step.compute(name + ".gramian", name, matmul_of(1, product, dtype), {a}, {all.gramian},
                 [=](const auto& on) {
                     using Real = typename std::decay_t<decltype(on)>::Number;
                     set_product_in_pairs(
                         Factors<Real>{{on(a), n, true}, {on(a), n}, {on(all.gramian), n}},
                         product);
                 });
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) { // neighbours first
        step.collective(name, model::CollectiveKind::all_reduce, *axis, all.gramian, all.gramian, 0,
                        Combine::sum_in_pairs);
    }
    model::OpGraph ops;
    ops.name = name;
    add_symmetric_eigen(ops, matrices_of(step, name, all.gramian), step.buffer(all.values),
                        step.buffer(all.vectors), -1, nullptr);
    step.compute_graph(name, name, std::move(ops), {all.gramian}, {all.values, all.vectors},
                       [=](const auto& on) {
                           symmetric_eigen(on(all.gramian), n, on(all.values), on(all.vectors));
                       });
    return all;
}

} // namespace alxsim::spmd
