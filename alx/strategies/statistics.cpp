// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/statistics.h"

namespace alxsim::alx {

std::unique_ptr<const StatisticsStrategy> make_segment_sum_statistics();
std::unique_ptr<const StatisticsStrategy> make_batched_matmul_statistics();

const Registry<StatisticsStrategy>& statistics_strategies()
{
    static const Registry<StatisticsStrategy> registry(
        "/workload/alx/statistics", {{"segment_sum", make_segment_sum_statistics},
                                     {"batched_matmul", make_batched_matmul_statistics}});
    return registry;
}

std::int64_t window_numbers(const AlxConfig& config)
{
    return std::int64_t{config.dim} * config.dim + config.dim;
}

model::Matmul StatisticsShape::outer_products(std::int64_t batch, std::int64_t k) const
{
    const bool narrow =
        config.table_dtype == model::DType::bf16 || config.solve_dtype == model::DType::bf16;
    return {batch,
            config.dim,
            k,
            config.dim,
            narrow ? model::DType::bf16 : model::DType::f32,
            narrow ? 1 : config.hardware_passes(),
            true};
}

} // namespace alxsim::alx
