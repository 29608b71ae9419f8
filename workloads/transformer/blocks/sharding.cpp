// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/sharding.h"

#include <algorithm>

namespace alxsim::transformer {

Sharding::Sharding(const TransformerConfig& config, StepBuilder& builder)
    : config_(config),
      builder_(builder),
      layout_(config)
{
}

Array Sharding::sums(const std::string& name, std::int64_t rows) const
{
    return builder_.array("workspace." + name, {rows, 1}, sum_type());
}

StepBuilder::Fused Sharding::fused_with(ProductOf what, Array bias, Array column_sums) const
{
    using model::DType;
    StepBuilder::Fused fused;
    fused.bias = bias;
    fused.column_sums = column_sums;
    if (config_.precision == Precision::int8 && what != ProductOf::weight_gradient) {
        fused.quantized = std::pair(DType::i8, DType::i8);
    } else if (config_.precision == Precision::fp8) {
        fused.quantized =
            std::pair(what == ProductOf::input_gradient ? DType::fp8_e5m2 : DType::fp8_e4m3,
                      what == ProductOf::weight_gradient ? DType::fp8_e5m2 : DType::fp8_e4m3);
    }
    return fused;
}

model::Vector Sharding::vector(std::int64_t elements, double operations, model::DType dtype)
{
    model::Vector work;
    work.elements = elements;
    work.ops_per_element = operations;
    work.dtype = dtype;
    return work;
}

model::Vector Sharding::row_vector(std::int64_t elements, double operations, model::DType dtype,
                                   std::int64_t minor)
{
    model::Vector work = vector(elements, operations, dtype);
    work.reduction = model::Reduction::lanes;
    work.minor = minor;
    return work;
}

void Sharding::look_up(Array table, const FirstOf& first, Array x, bool from_zero)
{
    const Shape rows = builder_.shape(table);
    const Shape shape = builder_.shape(x);
    const model::Matmul work =
        spmd::matmul_of(1, {shape.rows, rows.rows, shape.columns}, config_.dtype);
    std::vector<Touch> reads{table};
    if (!from_zero) {
        reads.emplace_back(x);
    }
    builder_.compute("token rows", phase("embedding"), work, reads, {x},
                     [=, tokens = tokens_, skipped = microbatch_ * shape.rows](const auto& on) {
                         const auto& ids = tokens->inputs[static_cast<std::size_t>(on.device())];
                         if (from_zero) {
                             std::fill_n(on(x), shape.elements(), 0);
                         }
                         transformer::add_looked_up(ids.data() + skipped, shape.rows, on(table),
                                                    first(on.device()), rows.rows, rows.columns,
                                                    on(x));
                     });
}

void Sharding::gradient_of_table(Array dx, Array gradient, const FirstOf& first,
                                 const GradientStart& start)
{
    const Shape rows = builder_.shape(gradient);
    const Shape shape = builder_.shape(dx);
    const model::Matmul work =
        spmd::matmul_of(1, {rows.rows, shape.rows, shape.columns}, config_.dtype);
    const bool has_seed = start.seed.exists();
    const std::int64_t seeds = has_seed ? builder_.shape(start.seed).elements() : 0;
    std::vector<Touch> reads{dx};
    if (has_seed || !start.from_zero) {
        reads.emplace_back(has_seed ? start.seed : gradient);
    }
    builder_.compute("token rows' gradient", phase("embedding"), work, reads, {gradient},
                     [=, tokens = tokens_, skipped = microbatch_ * shape.rows](const auto& on) {
                         auto* const table = on(gradient);
                         if (start.from_zero) {
                             std::fill_n(table, rows.elements(), 0);
                         }
                         if (has_seed) {
                             std::fill_n(table, rows.elements(), 0);
                             if (const std::int64_t at = start.at(on.device()); at >= 0) {
                                 std::copy_n(on(start.seed), seeds, table + at);
                             }
                         }
                         const auto& ids = tokens->inputs[static_cast<std::size_t>(on.device())];
                         transformer::add_to_looked_up(ids.data() + skipped, shape.rows, on(dx),
                                                       first(on.device()), rows.rows, rows.columns,
                                                       table);
                     });
}

void Sharding::add_positions(Array positions, Array x, const FirstOf& first)
{
    const Shape table = builder_.shape(positions);
    const Shape shape = builder_.shape(x);
    builder_.compute("positions", phase("embedding"), vector(shape.elements(), 1, config_.dtype),
                     {positions, x}, {x}, [=, places = positions_of()](const auto& on) {
                         const std::int64_t start = first(on.device());
                         const std::vector<std::int32_t> at = places(on.device());
                         const auto length = static_cast<std::int64_t>(at.size());
                         for (std::int64_t row = 0; row < shape.rows; ++row) {
                             const auto place = static_cast<std::size_t>((start + row) % length);
                             const auto* const position = on(positions) + at[place] * table.columns;
                             auto* const numbers = on(x) + row * shape.columns;
                             for (std::int64_t i = 0; i < shape.columns; ++i) {
                                 numbers[i] += position[i];
                             }
                         }
                     });
}

void Sharding::gradient_of_positions(Array dx, Array gradient, const FirstOf& first)
{
    const Shape table = builder_.shape(gradient);
    const Shape shape = builder_.shape(dx);
    builder_.compute("positions' gradient", phase("embedding"),
                     vector(shape.elements(), 1, config_.dtype), {dx}, {gradient},
                     [=, places = positions_of()](const auto& on) {
                         std::fill_n(on(gradient), table.elements(), 0);
                         const std::int64_t start = first(on.device());
                         const std::vector<std::int32_t> at = places(on.device());
                         const auto length = static_cast<std::int64_t>(at.size());
                         for (std::int64_t row = 0; row < shape.rows; ++row) {
                             const auto place = static_cast<std::size_t>((start + row) % length);
                             auto* const position = on(gradient) + at[place] * table.columns;
                             const auto* const numbers = on(dx) + row * shape.columns;
                             for (std::int64_t i = 0; i < shape.columns; ++i) {
                                 position[i] += numbers[i];
                             }
                         }
                     });
}

std::unique_ptr<Sharding> make_sharding(const TransformerConfig& config, StepBuilder& builder)
{
    return config.is_two_dimensional() ? make_two_dimensional(config, builder)
                                       : make_one_dimensional(config, builder);
}

} // namespace alxsim::transformer
