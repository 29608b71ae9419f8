// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/product.h"
#include "spmd/linear/quantized_product.h"
#include "spmd/step_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::spmd {

model::Matmul matmul_of(std::int64_t batch, const ProductShape& shape, model::DType dtype,
                        int f32_passes)
{
    model::Matmul work{batch, shape.m, shape.k, shape.n, dtype};
    work.passes = dtype == model::DType::bf16 ? 1 : f32_passes;
    return work;
}

/// Returns the shape of one of its panels, as it stands.
Shape StepBuilder::panel_of(const Operand& operand) const
{
    const Shape& whole = shape(operand.array);
    return {whole.rows / operand.panels, whole.columns};
}

ProductShape StepBuilder::product_of(const std::string& name, const Operand& left,
                                     const Operand& right, const Operand& result) const
{
    const Shape a = panel_of(left);
    const Shape b = panel_of(right);
    const Shape c = panel_of(result);
    const ProductShape product{left.transposed ? a.columns : a.rows,
                               left.transposed ? a.rows : a.columns,
                               right.transposed ? b.rows : b.columns};
    if (product.k != (right.transposed ? b.columns : b.rows) || product.m != c.rows ||
        product.n != c.columns) {
        throw std::logic_error("matrices of " + name + " do not fit together");
    }
    return product;
}

void StepBuilder::multiply(const std::string& name, const std::string& phase, Operand left,
                           Operand right, Operand result, Fused fused)
{
    if (fused.quantized) {
        multiply_quantized(name, phase, left, right, result, fused);
        return;
    }
    const Shape a = panel_of(left);
    const Shape b = panel_of(right);
    const Shape c = panel_of(result);
    const ProductShape product = product_of(name, left, right, result);
    const int panels = std::max({left.panels, right.panels, result.panels});
    const model::Matmul work = matmul_of(1,
                                         {product.m * std::min(left.panels, result.panels),
                                          product.k * std::min(left.panels, right.panels),
                                          product.n * std::min(right.panels, result.panels)},
                                         dtype(left.array), f32_passes_);
    std::vector<Touch> reads{left.array, right.array};
    std::vector<Touch> writes{result.array};
    if (fused.accumulate) {
        reads.emplace_back(result.array);
    }
    if (fused.bias.exists()) {
        reads.emplace_back(fused.bias);
    }
    if (fused.column_sums.exists()) {
        writes.emplace_back(fused.column_sums);
    }
    compute(name, phase, work, reads, writes, [=](const auto& on) {
        using Real = typename std::decay_t<decltype(on)>::Number;
        const auto at = [&](const Operand& operand, const Shape& panel, int index) {
            return on(operand.array) + (operand.panels > 1 ? index * panel.elements() : 0);
        };
        for (int i = 0; i < panels; ++i) {
            const Factors<Real> factors{{at(left, a, i), a.columns, left.transposed},
                                        {at(right, b, i), b.columns, right.transposed},
                                        {at(result, c, i), c.columns}};
            if (fused.accumulate || (result.panels == 1 && i > 0)) {
                add_product(factors, product);
            } else {
                set_product(factors, product);
            }
        }
        if (fused.bias.exists()) {
            add_bias(on(fused.bias), c.rows, c.columns, on(result.array));
        }
        if (fused.column_sums.exists()) {
            column_sums(on(right.array), b.rows, b.columns, on(fused.column_sums));
        }
    });
}

void StepBuilder::multiply_mode(const std::string& name, const std::string& phase, Array matrix,
                                Array from, const ModeShape& mode, Array to, SumOrder order)
{
    const std::int64_t m = shape(matrix).rows;
    if (shape(matrix).columns != mode.length || shape(from).elements() != mode.elements() ||
        shape(to).elements() != mode.outer * m * mode.inner) {
        throw std::logic_error("the matrix and mode of " + name + " do not fit together");
    }
    compute(name, phase,
            matmul_of(1, {mode.outer * mode.inner, mode.length, m}, dtype(from), f32_passes_),
            {matrix, from}, {to},
            [=](const auto& on) { mode_product(on(matrix), m, on(from), mode, on(to), order); });
}

// Products of quantized factors: an op finds the scales of a factor and writes its numbers of 8
// bits; the product reads these, and multiplies its sums with the scales. As compiled there are two
// passes, of which the compiler has the second one read VMEM: together as long as one from HBM
// (tests/oracle/xla/quantized). A factor that stands in 8 bits, with its scales, is read as it
// stands.

namespace {

/// What the arrays multiply in. Of the two fp8 types together they are as slow as of e4m3 alone, by
/// the compiler's estimates (tests/oracle/xla/low_precision.json).
model::DType type_of_product(model::DType left, model::DType right)
{
    return left == right ? left : model::DType::fp8_e4m3;
}

} // namespace

StepBuilder::QuantizedOperand StepBuilder::quantized(const std::string& name,
                                                     const std::string& phase,
                                                     const Operand& operand, model::DType type,
                                                     bool is_left)
{
    const Shape whole = shape(operand.array);
    const ScaleOf of = scale_of_left(type, operand.transposed == is_left);
    const std::string buffer = "workspace.quantized." + name + (is_left ? ".left" : ".right");
    QuantizedOperand result;
    result.type = type;
    result.numbers = array(buffer, whole, type);
    result.scales =
        array(buffer + ".scales", {1, scales_of(of, whole.rows, whole.columns)},
              dtype(operand.array) == model::DType::f64 ? model::DType::f64 : model::DType::f32);
    model::Vector work;
    work.elements = whole.elements();
    work.ops_per_element = 5; // magnitude, maximum; times the scale's inverse, rounded, converted
    work.dtype = dtype(operand.array);
    work.reduction = of == ScaleOf::columns ? model::Reduction::sublanes : model::Reduction::lanes;
    work.minor = whole.columns;
    compute(name + (is_left ? " left" : " right") + " quantized", phase, work, {operand.array},
            {result.numbers, result.scales}, [=](const auto& on) {
                quantize(type, of, on(operand.array), whole.rows, whole.columns, on(result.numbers),
                         on(result.scales));
            });
    return result;
}

void StepBuilder::multiply_quantized(const std::string& name, const std::string& phase,
                                     Operand left, Operand right, Operand result,
                                     const Fused& fused)
{
    if (fused.accumulate || left.panels != 1 || right.panels != 1 || result.panels != 1) {
        throw std::logic_error("a quantized product of panels, or that is added up: " + name);
    }
    const ProductShape product = product_of(name, left, right, result);
    const QuantizedOperand a = quantized(name, phase, left, fused.quantized->first, true);
    const QuantizedOperand b = right.scales.exists()
                                   ? QuantizedOperand{right.array, right.scales, dtype(right.array)}
                                   : quantized(name, phase, right, fused.quantized->second, false);
    model::Matmul work{1, product.m, product.k, product.n, type_of_product(a.type, b.type)};
    model::Vector epilogue; // converted, times both scales
    epilogue.elements = product.m * product.n;
    epilogue.ops_per_element = 3;
    epilogue.dtype = dtype(result.array);
    work.epilogue = epilogue;
    std::vector<Touch> reads{a.numbers, a.scales, b.numbers, b.scales};
    std::vector<Touch> writes{result.array};
    if (fused.bias.exists()) {
        reads.emplace_back(fused.bias);
    }
    if (fused.column_sums.exists()) {
        reads.emplace_back(right.array);
        writes.emplace_back(fused.column_sums);
    }
    const Shape left_shape = shape(left.array);
    const Shape right_shape = shape(right.array);
    const Shape shape_of_result = shape(result.array);
    compute(name, phase, work, reads, writes, [=](const auto& on) {
        using Real = NumberOf<decltype(on)>;
        set_quantized_product<Real>(
            {a.type, {on(a.numbers), left_shape.columns, left.transposed}, on(a.scales)},
            {b.type, {on(b.numbers), right_shape.columns, right.transposed}, on(b.scales)},
            {on(result.array), shape_of_result.columns}, product);
        if (fused.bias.exists()) {
            add_bias(on(fused.bias), shape_of_result.rows, shape_of_result.columns,
                     on(result.array));
        }
        if (fused.column_sums.exists()) {
            column_sums(on(right.array), right_shape.rows, right_shape.columns,
                        on(fused.column_sums));
        }
    });
}

} // namespace alxsim::spmd
