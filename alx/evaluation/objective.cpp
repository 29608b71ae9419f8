// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/objective.h"

#include "alx/solvers/normal_equations.h"
#include "base/units.h"
#include "spmd/sums_in_order.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace alxsim::alx {
namespace {

/// Rows of a partial sum. Part of the result's definition: partial sums are added in order.
constexpr std::int64_t chunk_rows = 1024;

/// `part(begin, end)` for chunks of [0, items), as f64 vectors that are added in order.
std::vector<double>
sum_of_parts(std::int64_t items, std::size_t length, HostPool& pool,
             const std::function<void(std::int64_t, std::int64_t, double*)>& part)
{
    std::vector<double> sum(length, 0.0);
    spmd::sum_in_order<double>(
        pool, ceil_divide(items, chunk_rows), length,
        [&](std::int64_t chunk, double* numbers) {
            part(chunk * chunk_rows, std::min(items, (chunk + 1) * chunk_rows), numbers);
        },
        [&](std::int64_t /*chunk*/, const double* numbers, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                sum[i] += numbers[i];
            }
        });
    return sum;
}

double dot64(const double* x, const double* y, int dim)
{
    double sum = 0;
    for (int i = 0; i < dim; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// Links whose products are summed side by side: an addition need not wait for the one before.
constexpr std::int64_t links_at_once = 8;

/// <row, column of link l>, each as dot64 does, for `count` <= links_at_once columns, [count x
/// dim].
void dots64(const double* row, const double* columns, std::int64_t count, int dim, double* dots)
{
    if (count < links_at_once) {
        for (std::int64_t l = 0; l < count; ++l) {
            dots[l] = dot64(row, columns + l * dim, dim);
        }
        return;
    }
    double sums[links_at_once] = {};
    for (int i = 0; i < dim; ++i) {
        for (std::int64_t l = 0; l < links_at_once; ++l) {
            sums[l] += row[i] * columns[l * dim + i];
        }
    }
    std::copy(sums, sums + links_at_once, dots);
}

/// sum (1 - <row, c>)^2 over the columns of its links, each times its weight, if there are any,
/// added in order to `sum`.
void add_link_losses(const double* row, const std::vector<std::int32_t>& ids, const float* weights,
                     const RowStore& columns, std::vector<double>& block, double* sum)
{
    const std::int32_t* begin = ids.data();
    const std::int32_t* end = begin + ids.size();
    const int dim = columns.dim();
    double dots[links_at_once];
    while (begin != end) {
        const std::int64_t count = std::min<std::int64_t>(links_at_once, end - begin);
        for (std::int64_t l = 0; l < count; ++l) {
            columns.get(begin[l], block.data() + l * dim);
        }
        dots64(row, block.data(), count, dim, dots);
        for (std::int64_t l = 0; l < count; ++l) {
            const double error = 1.0 - dots[l];
            *sum += error * error * (weights == nullptr ? 1.0 : weights[begin + l - ids.data()]);
        }
        begin += count;
    }
}

/// Penalties of rows of the store that are examples without links.
double empty_rows_penalty(const AlxConfig& config, const SparseMatrix& links, double unobserved,
                          const RowStore& store)
{
    std::vector<double> row(static_cast<std::size_t>(config.dim));
    double sum = 0;
    for (const std::int32_t r : links.listed) {
        if (links.length(r) == 0) {
            store.get(r, row.data());
            sum += config.reg * unobserved * dot64(row.data(), row.data(), config.dim);
        }
    }
    return sum;
}

/// [stride x stride], upper triangle.
std::vector<double> gramian64(const RowStore& store, HostPool& pool)
{
    const auto stride = static_cast<std::size_t>(spmd::padded(store.dim()));
    return sum_of_parts(store.rows(), stride * stride, pool,
                        [&](std::int64_t begin, std::int64_t end, double* sum) {
                            add_gramian(store, begin, end, exact_products, sum);
                        });
}

/// Returns that of two symmetric matrices [stride x stride], given by their upper triangles.
double inner_product(const std::vector<double>& x, const std::vector<double>& y, std::size_t stride)
{
    double sum = 0;
    for (std::size_t i = 0; i < stride; ++i) {
        for (std::size_t j = i; j < stride; ++j) {
            sum += (i == j ? 1.0 : 2.0) * x[i * stride + j] * y[i * stride + j];
        }
    }
    return sum;
}

/// Loss over the links, and the regularizer of the rows.
double loss_and_penalty(const AlxConfig& config, const TrainingLinks& links, const RowStore& rows,
                        const RowStore& columns, HostPool& pool)
{
    const double unobserved = config.alpha * static_cast<double>(links.column_count);
    const auto part = [&](std::int64_t begin, std::int64_t end, double* sum) {
        std::vector<double> row(static_cast<std::size_t>(config.dim));
        std::vector<double> block(row.size() * links_at_once);
        std::vector<std::int32_t> ids;
        for (auto r = static_cast<std::int32_t>(begin); r < end; ++r) {
            const double length = links.rows->weight(r);
            if (length == 0) {
                continue;
            }
            rows.get(r, row.data());
            links.rows->read(r, ids);
            add_link_losses(row.data(), ids, links.rows->weights_of(r), columns, block, sum);
            *sum += config.reg * (length + unobserved) * dot64(row.data(), row.data(), config.dim);
        }
    };
    return sum_of_parts(links.rows->rows, 1, pool, part)[0] +
           empty_rows_penalty(config, *links.rows, unobserved, rows);
}

double column_penalty(const AlxConfig& config, const TrainingLinks& links, const RowStore& columns,
                      HostPool& pool)
{
    const double unobserved = config.alpha * static_cast<double>(links.row_count);
    const auto part = [&](std::int64_t begin, std::int64_t end, double* sum) {
        std::vector<double> column(static_cast<std::size_t>(config.dim));
        for (auto c = static_cast<std::int32_t>(begin); c < end; ++c) {
            const double length = links.columns->weight(c);
            if (length > 0) {
                columns.get(c, column.data());
                *sum += (length + unobserved) * dot64(column.data(), column.data(), config.dim);
            }
        }
    };
    return config.reg * sum_of_parts(links.columns->rows, 1, pool, part)[0];
}

} // namespace

double objective(const AlxConfig& config, const TrainingLinks& links, const RowStore& rows,
                 const RowStore& columns, HostPool& pool)
{
    const double all_pairs = inner_product(gramian64(rows, pool), gramian64(columns, pool),
                                           static_cast<std::size_t>(spmd::padded(config.dim)));
    return loss_and_penalty(config, links, rows, columns, pool) + config.alpha * all_pairs +
           column_penalty(config, links, columns, pool);
}

} // namespace alxsim::alx
