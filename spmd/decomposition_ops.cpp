// SPDX-License-Identifier: Apache-2.0
#include "spmd/decomposition_ops.h"

#include "spmd/linear/op_parts.h"
#include "spmd/linear/svd.h"
#include "spmd/linear/symmetric_eigen.h"
#include "spmd/linear/tall_qr.h"

namespace alxsim::spmd {
namespace {

Matrices matrices_of(const StepBuilder& step, const Label& label, Array a)
{
    const Shape& shape = step.shape(a);
    return {1, shape.rows, shape.columns, step.buffer(a), label.phase, label.name};
}

/// A with rows of zeros below it, as many as make it square.
Array add_zero_rows(StepBuilder& step, const Label& label, Array a)
{
    const std::int64_t n = step.shape(a).columns;
    const Array padded = step.array(label.name + ".square", {n, n}, step.dtype(a));
    step.compute(label.name + ".pad", label.phase, elementwise(n * n, 1, n), {a}, {padded},
                 [=, elements = step.shape(a).elements()](const auto& on) {
                     std::fill(on(padded), on(padded) + n * n, NumberOf<decltype(on)>(0));
                     std::copy(on(a), on(a) + elements, on(padded));
                 });
    return padded;
}

/// A QR that each device makes of its own array.
TallQr add_local_qr(StepBuilder& step, const Label& label, Array a)
{
    const Shape asked = step.shape(a);
    const bool is_wide = asked.rows < asked.columns;
    const Array tall = is_wide ? add_zero_rows(step, label, a) : a;
    const Shape shape = step.shape(tall);
    const model::DType dtype = step.dtype(a);
    const TallQr local{step.array(label.name + ".q", shape, dtype),
                       step.array(label.name + ".r", {shape.columns, shape.columns}, dtype)};
    const Array q = is_wide ? step.part(label.name + ".q", local.q, 0, asked) : local.q;
    model::OpGraph ops;
    ops.name = label.name;
    add_tall_qr(ops, matrices_of(step, label, tall), step.buffer(local.q), step.buffer(local.r), -1,
                nullptr);
    step.compute_graph(label.name, label.phase, std::move(ops), {tall}, {local.q, local.r},
                       [=](const auto& on) {
                           tall_qr(on(tall), shape.rows, shape.columns, on(local.q), on(local.r));
                       });
    return {q, local.r};
}

/// One level of the tree: the R of a QR of all R's along the axis, and Q times this device's part
/// of that one's Q.
TallQr add_level(StepBuilder& step, const Label& label, const TallQr& below,
                 const std::string& axis)
{
    const Shape shape = step.shape(below.q);
    const std::int64_t n = shape.columns;
    const model::DType dtype = step.dtype(below.q);
    const Array stacked =
        step.array(label.name + ".stacked", {step.mesh().length(axis) * n, n}, dtype);
    step.collective(label.name, model::CollectiveKind::all_gather, axis, below.r, stacked);
    const TallQr level = add_local_qr(step, label, stacked);
    const Array q = step.array(label.name + ".product", shape, dtype);
    const ProductShape product{shape.rows, n, n};
    step.compute(label.name + ".q", label.phase, matmul_of(1, product, dtype, step.f32_passes()),
                 {below.q, {level.q, 1.0 / step.mesh().length(axis)}}, {q},
                 [=, mesh = step.mesh()](const auto& on) {
                     const std::int64_t part = mesh.position(on.device(), axis);
                     set_product(Factors<NumberOf<decltype(on)>>{{on(below.q), n},
                                                                 {on(level.q) + part * n * n, n},
                                                                 {on(q), n}},
                                 product);
                 });
    return {q, level.r};
}

void add_sum_in_pairs(StepBuilder& step, const std::string& name, Array sum,
                      const std::vector<std::string>& axes)
{
    step.collective(name, model::CollectiveKind::all_reduce, axes, sum, sum, 0,
                    Combine::sum_in_pairs);
}

/// result = the sum of products of panels [rows x columns], the second transposed, made in pairs.
template <class Real>
void set_panel_sum(const Real* a, const Real* b, std::int64_t panels, const Shape& panel,
                   Real* result)
{
    const std::int64_t rows = panel.rows;
    if (panels % 2 != 0) {
        std::fill(result, result + rows * rows, Real(0));
        for (std::int64_t i = 0; i < panels; ++i) {
            const std::int64_t first = i * panel.elements();
            add_product(Factors<Real>{{a + first, panel.columns},
                                      {b + first, panel.columns, true},
                                      {result, rows}},
                        {rows, panel.columns, rows});
        }
        return;
    }
    const std::int64_t half = panels / 2;
    std::vector<Real> second(static_cast<std::size_t>(rows * rows));
    set_panel_sum(a, b, half, panel, result);
    set_panel_sum(a + half * panel.elements(), b + half * panel.elements(), half, panel,
                  second.data());
    std::transform(second.begin(), second.end(), result, result, std::plus<Real>());
}

} // namespace

TallQr add_tall_qr(StepBuilder& step, const Label& label, Array a,
                   const std::vector<std::string>& axes)
{
    TallQr qr = add_local_qr(step, label.part("local"), a);
    for (const std::string& axis : axes) {
        if (step.mesh().length(axis) > 1) {
            qr = add_level(step, label.part(axis), qr, axis);
        }
    }
    return qr;
}

TallSvd add_tall_svd(StepBuilder& step, const Label& label, Array a,
                     const std::vector<std::string>& axes)
{
    const TallQr qr = add_tall_qr(step, label, a, axes);
    const std::int64_t n = step.shape(a).columns;
    const model::DType dtype = step.dtype(a);
    const Label of_r = label.part("svd");
    const Array small = step.array(of_r.name + ".u", {n, n}, dtype);
    const TallSvd all{step.array(label.name + ".u", step.shape(a), dtype),
                      step.array(label.name + ".s", {1, n}, dtype),
                      step.array(label.name + ".vt", {n, n}, dtype)};
    model::OpGraph ops;
    ops.name = of_r.name;
    add_svd(ops, matrices_of(step, of_r, qr.r),
            {step.buffer(small), step.buffer(all.s), step.buffer(all.vt)}, -1, nullptr);
    step.compute_graph(
        of_r.name, of_r.phase, std::move(ops), {qr.r}, {small, all.s, all.vt},
        [=](const auto& on) { svd(on(qr.r), n, n, on(small), on(all.s), on(all.vt)); });
    step.multiply(label.name + ".u", label.phase, {qr.q}, {small}, {all.u});
    return all;
}

EigenPairs add_eigen(StepBuilder& step, const Label& label, Array symmetric, EigenMethod method)
{
    const std::int64_t n = step.shape(symmetric).rows;
    const model::DType dtype = step.dtype(symmetric);
    const EigenPairs eigen{step.array(label.name + ".values", {1, n}, dtype),
                           step.array(label.name + ".vectors", {n, n}, dtype)};
    model::OpGraph ops;
    ops.name = label.name;
    if (method.products > 0) {
        add_eigen_by_products(ops, matrices_of(step, label, symmetric), step.buffer(eigen.values),
                              step.buffer(eigen.vectors), method.products, -1);
    } else {
        add_symmetric_eigen(ops, matrices_of(step, label, symmetric), step.buffer(eigen.values),
                            step.buffer(eigen.vectors), -1, nullptr);
    }
    step.compute_graph(label.name, label.phase, std::move(ops), {symmetric},
                       {eigen.values, eigen.vectors}, [=](const auto& on) {
                           symmetric_eigen(on(symmetric), n, on(eigen.values), on(eigen.vectors));
                       });
    return eigen;
}

Array add_gramian(StepBuilder& step, const Label& label, Array a,
                  const std::vector<std::string>& axes)
{
    const Shape shape = step.shape(a);
    const std::int64_t n = shape.columns;
    const model::DType dtype = step.dtype(a);
    const Array gramian = step.array(label.name + ".gramian", {n, n}, dtype);
    const ProductShape product{n, shape.rows, n};
    step.compute(
        label.name + ".gramian", label.phase, matmul_of(1, product, dtype, step.f32_passes()), {a},
        {gramian}, [=](const auto& on) {
            set_product_in_pairs(
                Factors<NumberOf<decltype(on)>>{{on(a), n, true}, {on(a), n}, {on(gramian), n}},
                product);
        });
    add_sum_in_pairs(step, label.name, gramian, axes);
    return gramian;
}

Array add_panel_gramian(StepBuilder& step, const Label& label, Array a, Array b, int panels,
                        const std::vector<std::string>& axes)
{
    const Shape panel{step.shape(a).rows / panels, step.shape(a).columns};
    const model::DType dtype = step.dtype(a);
    const Array gramian = step.array(label.name + ".gramian", {panel.rows, panel.rows}, dtype);
    const ProductShape product{panel.rows, panels * panel.columns, panel.rows};
    step.compute(label.name + ".gramian", label.phase,
                 matmul_of(1, product, dtype, step.f32_passes()), {a, b}, {gramian},
                 [=](const auto& on) { set_panel_sum(on(a), on(b), panels, panel, on(gramian)); });
    add_sum_in_pairs(step, label.name, gramian, axes);
    return gramian;
}

} // namespace alxsim::spmd
