// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/parameters/quantized_parameter.h"

#include "spmd/linear/quantized_product.h"

namespace alxsim::transformer {

bool QuantizedParameter::is_one(ParameterRole role)
{
    return role == ParameterRole::into_weight || role == ParameterRole::out_weight ||
           role == ParameterRole::expert_into_weight || role == ParameterRole::expert_out_weight;
}

/// Experts are dealt whole, or by their inner width.
std::int64_t QuantizedParameter::scale_rows(const ParameterCut& cut) const
{
    const ShardOf shard = cut.shard_of(spec_, 0);
    return (shard.rows.back() / rows_of_one()) - (shard.rows.front() / rows_of_one()) + 1;
}

std::int64_t QuantizedParameter::scale_columns(const ParameterCut& cut) const
{
    return by_column_ ? cut.columns_of(spec_) : 1;
}

QuantizedParameter::Quantized QuantizedParameter::quantized(const std::vector<double>& whole) const
{
    const std::int64_t rows = rows_of_one();
    const std::int64_t width = by_column_ ? spec_.columns : 1;
    Quantized result{std::vector<double>(whole.size()),
                     std::vector<double>(static_cast<std::size_t>(matrices_ * width))};
    for (std::int64_t i = 0; i < matrices_; ++i) {
        const std::int64_t first = i * rows * spec_.columns;
        spmd::quantize(type_, by_column_ ? spmd::ScaleOf::columns : spmd::ScaleOf::whole,
                       whole.data() + first, rows, spec_.columns, result.numbers.data() + first,
                       result.scales.data() + i * width);
    }
    return result;
}

std::vector<double> QuantizedParameter::cut_scales(const ParameterCut& cut, int device,
                                                   const std::vector<double>& scales) const
{
    const ShardOf shard = cut.shard_of(spec_, device);
    const std::int64_t width = by_column_ ? spec_.columns : 1;
    std::vector<double> own;
    std::int64_t last = -1;
    for (const std::int64_t row : shard.rows) {
        if (const std::int64_t matrix = row / rows_of_one(); matrix != last) {
            last = matrix;
            for (const std::int64_t column :
                 by_column_ ? shard.columns : std::vector<std::int64_t>{0}) {
                own.push_back(scales[static_cast<std::size_t>(matrix * width + column)]);
            }
        }
    }
    return own;
}

void QuantizedParameter::scale(const ParameterCut& cut, const std::vector<double>& scales,
                               std::vector<double>& numbers) const
{
    const std::int64_t columns = cut.columns_of(spec_);
    const std::int64_t of_one = cut.rows_of(spec_) / scale_rows(cut) * columns;
    const std::int64_t width = scale_columns(cut);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t column = by_column_ ? at % columns : 0;
        numbers[i] *= scales[static_cast<std::size_t>(at / of_one * width + column)];
    }
}

} // namespace alxsim::transformer
