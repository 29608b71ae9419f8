// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/objective.h"
#include "alx/evaluation/objective_elsewhere.h"
#include "base/host_pool.h"
#include "base/input_error.h"
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

/// Rows and columns that all have as many links: 2 and 3.
SparseMatrix even_links()
{
    return matrix_of({{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}, {1, 3}}, 4);
}

const LinkCounts counts_of_even_links{6, 4, 12, 6, 4};

/// What the library itself sums up, as docs/objective.md has it of its source, links being ones.
double loss_elsewhere(Convention convention, const ObjectiveValues& values,
                      const SparseMatrix& links, const Table& rows, const Table& columns)
{
    const auto ridges = [&](const SparseMatrix& matrix) {
        std::vector<double> all;
        for (std::int32_t row = 0; row < matrix.rows; ++row) {
            const auto length = static_cast<double>(matrix.length(row));
            all.push_back(values.regularization * (convention == Convention::spark ? length : 1));
        }
        return all;
    };
    const double link = convention == Convention::implicit ? values.alpha : 1 + values.alpha;
    return weighted_loss(links, rows, columns, link, ridges(links), ridges(transpose(links)));
}

Table times(Table table, double factor)
{
    for (std::vector<double>& row : table) {
        for (double& number : row) {
            number *= factor;
        }
    }
    return table;
}

/// Two objectives that differ by a factor and a constant, whatever the tables are, have the same
/// minimizers.
TEST(ObjectiveElsewhere, IsOursWithTranslatedValuesWhereAllRowsAreAsLong)
{
    const SparseMatrix links = even_links();
    const SparseMatrix transposed = transpose(links);
    HostPool pool(1);
    for (const Convention convention :
         {Convention::implicit, Convention::spark, Convention::paper}) {
        const ObjectiveValues theirs{7, 0.4};
        const ObjectiveValues ours =
            translated(theirs, convention, Convention::alxsim, counts_of_even_links, 1);
        AlxConfig config;
        config.dim = 3;
        config.alpha = ours.alpha;
        config.reg = ours.regularization;
        const double unlike =
            std::sqrt(ridge(Convention::alxsim, ours, 2, 4) / ridge(convention, theirs, 2, 4));
        for (const double first : {0.1, 2.3}) {
            const Table rows = table_of(links.rows, config.dim, first);
            const Table columns = table_of(links.columns, config.dim, first + 0.5);
            const double smaller = 1 / std::sqrt(1 + ours.alpha);
            const double here =
                objective(config, {&links, &transposed, links.rows, links.columns},
                          store_of(rows, smaller), store_of(columns, smaller), pool);
            const double there = loss_elsewhere(convention, theirs, links, times(rows, unlike),
                                                times(columns, 1 / unlike));
            EXPECT_NEAR((1 + ours.alpha) * (1 + ours.alpha) / ours.alpha * here,
                        there + (1 + ours.alpha) * 12, 1e-12 * there);
        }
    }
}

TEST(ObjectiveElsewhere, IsTranslatedAsThePageSays)
{
    const LinkCounts movies{6000, 3700, 600000, 6000, 3700};
    const ObjectiveValues ours =
        translated({40, 0.01}, Convention::implicit, Convention::alxsim, movies, 1);
    EXPECT_DOUBLE_EQ(ours.alpha, 1.0 / 39);
    EXPECT_NEAR(ours.regularization, 0.01 * 0.025 / std::sqrt(194.9 * 316.0), 1e-9);
}

TEST(ObjectiveElsewhere, IsTranslatedThereAndBack)
{
    const LinkCounts counts{900, 300, 20000, 850, 290};
    for (const ConventionName& from : convention_names()) {
        for (const ConventionName& to : convention_names()) {
            const ObjectiveValues there =
                translated({1.7, 0.03}, from.convention, to.convention, counts, 2);
            const ObjectiveValues back =
                translated(there, to.convention, from.convention, counts, 2);
            EXPECT_NEAR(back.alpha, 1.7, 1e-12) << from.name << " and " << to.name;
            EXPECT_NEAR(back.regularization, 0.03, 1e-12) << from.name << " and " << to.name;
        }
    }
}

TEST(ObjectiveElsewhere, HasNoAlphaWhereALinkWeighsNoMoreThanOthers)
{
    for (const double alpha : {1.0, 0.5}) {
        EXPECT_THROW(translated({alpha, 0.01}, Convention::implicit, Convention::alxsim,
                                counts_of_even_links, 1),
                     InputError);
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
