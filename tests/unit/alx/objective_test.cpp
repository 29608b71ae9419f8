// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/objective.h"
#include "base/host_pool.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

/// The objective as it is written in docs/objective.md, and as other libraries write it.
namespace alxsim::alx {
namespace {

using Table = std::vector<std::vector<double>>;

/// Numbers that repeat nowhere, between -1 and 1.
Table table_of(std::int64_t rows, int dim, double first)
{
    Table table(static_cast<std::size_t>(rows), std::vector<double>(static_cast<std::size_t>(dim)));
    double angle = first;
    for (std::vector<double>& row : table) {
        for (double& number : row) {
            angle += 1.7;
            number = std::sin(angle);
        }
    }
    return table;
}

double dot(const std::vector<double>& x, const std::vector<double>& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// What another library sums up: a link weighs `link`, any other pair 1, a row and a column have
/// ridges of their own.
double weighted_loss(const SparseMatrix& links, const Table& rows, const Table& columns,
                     double link, const std::vector<double>& row_ridges,
                     const std::vector<double>& column_ridges)
{
    double sum = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<bool> linked(columns.size(), false);
        for (const std::int32_t column : links.ids(static_cast<std::int32_t>(r))) {
            linked[static_cast<std::size_t>(column)] = true;
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const double score = dot(rows[r], columns[c]);
            sum += linked[c] ? link * (1 - score) * (1 - score) : score * score;
        }
        sum += row_ridges[r] * dot(rows[r], rows[r]);
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
        sum += column_ridges[c] * dot(columns[c], columns[c]);
    }
    return sum;
}

/// What a row's ridge is elsewhere, of each of the matrix' rows.
std::vector<double> ridges_elsewhere(const AlxConfig& config, const SparseMatrix& matrix)
{
    std::vector<double> ridges;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        ridges.push_back((1 + config.alpha) / config.alpha * config.reg *
                         (static_cast<double>(matrix.length(row)) + config.alpha * matrix.columns));
    }
    return ridges;
}

RowStore store_of(const Table& table, double factor)
{
    RowStore store(static_cast<std::int64_t>(table.size()), static_cast<int>(table[0].size()),
                   model::DType::f64);
    for (std::size_t r = 0; r < table.size(); ++r) {
        std::vector<double> row = table[r];
        for (double& number : row) {
            number *= factor;
        }
        store.set(static_cast<std::int64_t>(r), row.data());
    }
    return store;
}

/// With both tables larger by the root of 1 + alpha: what docs/objective.md translates values by.
TEST(ObjectiveElsewhere, IsOursWithOtherWeightsUpToAConstant)
{
    const SparseMatrix links =
        matrix_of({{0, 2}, {1}, {0, 1, 3, 4}, {2, 4}, {3}, {0, 4}, {1, 2, 3}}, 5);
    const SparseMatrix transposed = transpose(links);
    HostPool pool(1);
    for (const double alpha : {0.004, 1.0 / 39, 0.3}) {
        AlxConfig config;
        config.dim = 3;
        config.alpha = alpha;
        config.reg = 0.07;
        const auto pairs = static_cast<double>(links.links());
        for (const double first : {0.1, 2.3}) {
            const Table rows = table_of(links.rows, config.dim, first);
            const Table columns = table_of(links.columns, config.dim, first + 0.5);
            const double smaller = 1 / std::sqrt(1 + alpha);
            const double ours =
                objective(config, {&links, &transposed, links.rows, links.columns},
                          store_of(rows, smaller), store_of(columns, smaller), pool);
            const double theirs = weighted_loss(links, rows, columns, (1 + alpha) / alpha,
                                                ridges_elsewhere(config, links),
                                                ridges_elsewhere(config, transposed));
            EXPECT_NEAR((1 + alpha) * (1 + alpha) / alpha * ours, theirs + (1 + alpha) * pairs,
                        1e-12 * theirs);
        }
    }
}

/// Weights multiply the terms of links, and count in the regularizers: with all weights and alpha
/// as many times as large, so is the objective.
TEST(ObjectiveWithWeights, GrowsWithWeightsAndAlpha)
{
    SparseMatrix links = matrix_of({{0, 2}, {1}, {0, 1, 3}}, 4);
    HostPool pool(1);
    AlxConfig config;
    config.dim = 3;
    config.reg = 0.07;
    const RowStore rows = store_of(table_of(3, 3, 0.1), 1);
    const RowStore columns = store_of(table_of(4, 3, 0.6), 1);
    const auto of = [&](float weight, double alpha) {
        LinkWeights weights;
        for (std::int32_t row = 0; row < links.rows; ++row) {
            weights.values.insert(weights.values.end(), static_cast<std::size_t>(links.length(row)),
                                  weight);
            weights.end_row();
        }
        links.weights = weight > 0 ? std::make_shared<LinkWeights>(weights) : nullptr;
        config.alpha = alpha;
        const SparseMatrix transposed = transpose(links);
        return objective(config, {&links, &transposed, 3, 4}, rows, columns, pool);
    };
    EXPECT_EQ(of(1, 0.02), of(0, 0.02)) << "without weights they are 1";
    EXPECT_NEAR(of(8, 0.16), 8 * of(1, 0.02), 1e-12 * of(8, 0.16));
}

TEST(LinkWeights, GoWithTheirLinksWhereRowsBecomeColumns)
{
    SparseMatrix links = matrix_of({{0, 2}, {}, {0, 1, 3}}, 4);
    links.weights = std::make_shared<LinkWeights>(LinkWeights{{0.5F, 2, 3, 4, 5}, {0, 2, 2, 5}});
    const SparseMatrix transposed = transpose(links);
    EXPECT_EQ(transposed.weights->values, (std::vector<float>{0.5F, 3, 4, 2, 5}));
    EXPECT_EQ(transposed.weights->begins, (std::vector<std::int64_t>{0, 2, 3, 4, 5}));
    EXPECT_EQ(first_links(links, 2).weights->values, (std::vector<float>{0.5F, 2, 3, 4}));
    EXPECT_EQ(links.weight(2), 12);
}

} // namespace
} // namespace alxsim::alx
