// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/host_time.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

constexpr double operations_per_second = 100e9; ///< of statistics, Gramians and solvers
constexpr double score_operations_per_second = 220e9;
constexpr double seconds_per_link_and_half = 40e-9; ///< beside its operations
constexpr double seconds_per_link_read = 130e-9;
constexpr double seconds_per_drawn_number = 15e-9; ///< of the initial tables

/// Counts those of one system: a multiplication and an addition are two.
double solver_operations(const AlxConfig& config, std::int64_t expected_iterations)
{
    const double d = config.dim;
    return config.solver == "cg" ? 2 * d * d * static_cast<double>(expected_iterations)
                                 : 2 * d * d * d / 3;
}

/// `solved` rows or columns against a table of `fixed`.
double half_seconds(const AlxConfig& config, double links, double solved, double fixed,
                    std::int64_t expected_iterations)
{
    const double d = config.dim;
    const double operations =
        (links + fixed) * d * d + solved * solver_operations(config, expected_iterations);
    return operations / operations_per_second + links * seconds_per_link_and_half;
}

} // namespace

Seconds host_time(const Job& job)
{
    if (!job.data) {
        return Seconds(0);
    }
    const AlxConfig& config = job.config;
    const double links = static_cast<double>(job.data->training.links());
    const double rows = job.data->training.rows;
    const double columns = job.data->training.columns;
    const double epoch =
        half_seconds(config, links, rows, columns, config.cg.assumed_row_iterations) +
        half_seconds(config, links, columns, rows, config.cg.assumed_column_iterations);
    const double scores = static_cast<double>(job.data->test_rows.size()) * columns;
    const double evaluation = scores * 2 * config.dim / score_operations_per_second;
    const double evaluations = 1 + config.epochs / std::max(1, config.evaluation.every);
    const double numbers = (rows + columns) * config.dim;
    const double objective = numbers * config.dim / operations_per_second; // Gramians in f64
    const double drawn =
        (job.initial.rows.empty() ? rows : 0) + (job.initial.columns.empty() ? columns : 0);
    return Seconds(links * seconds_per_link_read + drawn * config.dim * seconds_per_drawn_number +
                   config.epochs * epoch + evaluations * (evaluation + objective));
}

} // namespace alxsim::alx
