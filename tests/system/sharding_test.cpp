// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"
#include "alx/data/filter.h"
#include "alx/data/generator/generate.h"
#include "alx/placements/placement.h"
#include "alx/steps/half_batches.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "tests/unit/alx/sharding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <random>
#include <set>

/// Sharding choices on random links and on a real web, cnr-2000 of LAW, which is not part of the
/// project: the tables that come out, and what travels.
namespace alxsim::alx {
namespace {

const std::string web_file = std::string(ALXSIM_SHARED_DIR) + "/data/cnr-2000/cnr-2000.graph";

const Dataset& random_links()
{
    static const Dataset data = [] {
        GenerateConfig config;
        config.rows = 1500;
        config.columns = 1100;
        config.links = 24000;
        config.min_links = 2;
        config.row_exponent = 2.2;
        config.column_exponent = 2.0;
        config.locality = 0.5;
        return without_split(generate(config, 5));
    }();
    return data;
}

const Dataset& web()
{
    static const Dataset data = [] {
        FilterConfig filters;
        filters.min_out = 20;
        filters.min_in = 20;
        filters.same_nodes = true;
        return without_split(filter(read_matrix({web_file}), filters));
    }();
    return data;
}

/// A choice of strategies, and how many of `devices` share rows.
struct Choice {
    std::string name;
    std::function<void(AlxConfig&)> set;
    int embedding_shards = 1;
    int replicas = 1;
};

Choice choice_of(std::string AlxConfig::*field, const std::string& name)
{
    return {name, [field, name](AlxConfig& config) { config.*field = name; }};
}

void prefetch(AlxConfig& config, int depth)
{
    config.prefetch_depth = depth;
}

/// Whether statistics are added up where the rows are, that is in another order.
bool sums_elsewhere(const std::string& gather)
{
    return gather_strategies().create(gather)->needs(clean_config(), 2).long_rows_from.has_value();
}

/// Those whose tables must be those of all_reduce, bit for bit: every gather, scatter and statistic
/// that has a name.
std::vector<Choice> exact_choices()
{
    std::vector<Choice> choices{
        {"prefetch", [](AlxConfig& c) { prefetch(c, 1); }},
        {"prefetch_3_of_all_to_all",
         [](AlxConfig& c) {
             c.gather = c.scatter = "all_to_all";
             prefetch(c, 3);
         }},
    };
    const AlxConfig base = clean_config();
    for (const std::string& gather : gather_strategies().names()) {
        if (gather != base.gather && !sums_elsewhere(gather)) {
            choices.push_back(choice_of(&AlxConfig::gather, gather));
        }
    }
    for (const std::string& scatter : scatter_strategies().names()) {
        if (scatter != base.scatter) {
            choices.push_back(choice_of(&AlxConfig::scatter, scatter));
        }
    }
    for (const std::string& statistics : statistics_strategies().names()) {
        if (statistics != base.statistics) {
            choices.push_back(choice_of(&AlxConfig::statistics, statistics));
        }
    }
    return choices;
}

/// Those whose tables are the same where products are exact and no row is random: every placement
/// that has a name, shards of embedding columns, replicas.
std::vector<Choice> exact_choices_of_exact_products()
{
    const auto at_owner = [](const std::string& placement) {
        return [placement](AlxConfig& c) {
            c.placement = placement;
            c.gather = "all_to_all";
            c.scatter = "owner_computes";
        };
    };
    std::vector<Choice> choices{
        {"embedding_columns", [](AlxConfig&) {}, 2, 1},
        {"embedding_columns_asked_of_owners", at_owner("contiguous"), 2, 1},
        {"replicas", [](AlxConfig&) {}, 1, 2},
        {"replicas_asked_of_owners", at_owner("contiguous"), 1, 2},
    };
    for (const std::string& placement : placements().names()) {
        choices.push_back({placement, at_owner(placement)});
    }
    return choices;
}

/// Those that add up in another order: gathers that say so.
std::vector<Choice> rounding_choices()
{
    std::vector<Choice> choices;
    for (const std::string& gather : gather_strategies().names()) {
        if (sums_elsewhere(gather)) {
            choices.push_back(choice_of(&AlxConfig::gather, gather));
        }
    }
    return choices;
}

DeviceMesh mesh_for(const Choice& choice, int devices)
{
    if (choice.embedding_shards == 1 && choice.replicas == 1) {
        return devices;
    }
    return alx::mesh_of(devices / choice.embedding_shards / choice.replicas,
                        choice.embedding_shards, choice.replicas);
}

std::vector<float> tables(const AlxConfig& base, const Choice& choice, const Dataset& data,
                          int devices)
{
    AlxConfig config = base;
    choice.set(config);
    return trained(config, data, mesh_for(choice, devices));
}

AlxConfig released_config()
{
    AlxConfig config = clean_config();
    config.solver = "cg";
    config.table_dtype = model::DType::bf16;
    config.semantics = Semantics::alx(config.table_dtype);
    config.epochs = 1;
    return config;
}

void expect_same_bits(const Dataset& data, const AlxConfig& config,
                      const std::vector<Choice>& choices)
{
    for (const int devices : {2, 8, 64}) {
        const std::vector<float> reference = trained(config, data, devices);
        for (const Choice& choice : choices) {
            EXPECT_EQ(tables(config, choice, data, devices), reference)
                << choice.name << " on " << devices << " devices, solver " << config.solver;
        }
    }
}

void expect_same_tables(const Dataset& data)
{
    expect_same_bits(data, clean_config(), exact_choices());
    expect_same_bits(data, released_config(), exact_choices());
    expect_same_bits(data, clean_config(), exact_choices_of_exact_products());
}

void expect_same_up_to_rounding(const Dataset& data)
{
    for (const int devices : {2, 8, 64}) {
        const std::vector<float> reference = trained(clean_config(), data, devices);
        for (const Choice& choice : rounding_choices()) {
            const std::vector<float> other = tables(clean_config(), choice, data, devices);
            const double difference = relative_difference(other, reference);
            std::cout << choice.name << " on " << devices << ": " << difference << "\n";
            EXPECT_LT(difference, 1e-5) << choice.name << " on " << devices << " devices";
        }
    }
}

TEST(Sharding, EveryChoiceGivesTheSameBitsOnRandomLinks)
{
    expect_same_tables(random_links());
}

TEST(Sharding, GathersThatSumElsewhereGiveTheSameTablesUpToRoundingOnRandomLinks)
{
    expect_same_up_to_rounding(random_links());
}

TEST(Sharding, EveryChoiceGivesTheSameBitsOnARealWeb)
{
    if (!std::filesystem::exists(web_file)) {
        GTEST_SKIP() << "no graph at " << web_file;
    }
    expect_same_tables(web());
}

TEST(Sharding, GathersThatSumElsewhereGiveTheSameTablesUpToRoundingOnARealWeb)
{
    if (!std::filesystem::exists(web_file)) {
        GTEST_SKIP() << "no graph at " << web_file;
    }
    expect_same_up_to_rounding(web());
}

TEST(Sharding, ReallyShipsStatistics)
{
    const std::vector<float> reference = trained(clean_config(), random_links(), 2);
    const Choice ships = choice_of(&AlxConfig::gather, "ship_statistics");
    EXPECT_NE(tables(clean_config(), ships, random_links(), 2), reference);
}

/// Distinct rows that devices need and other shards own, over the row half's real batches.
std::int64_t remote_rows(const std::string& placement, int devices)
{
    AlxConfig config = clean_config();
    config.gather = "all_to_all";
    config.scatter = "owner_computes";
    config.placement = placement;
    config.batch = {1024, 16, 1024};
    static const Dataset whole = without_split(read_matrix({web_file}));
    static const SparseMatrix by_column = transpose(whole.training);
    const TablePlacement placed = place_tables(config, whole.training, by_column, devices);
    const DenseBatches batches = batch_rows(config, whole.training, devices, placed.rows);
    std::int64_t remote = 0;
    for (std::size_t i = 0; i < batches.batches.size(); ++i) {
        std::set<std::int32_t> distinct;
        const BatchRange& range = batches.batches[i];
        for (std::int64_t k = range.first; k < range.first + range.count; ++k) {
            const std::int32_t row = batches.examples[static_cast<std::size_t>(k)];
            const std::vector<std::int32_t> ids = whole.training.ids(row);
            distinct.insert(ids.begin(), ids.end());
        }
        const int device = static_cast<int>(i) % devices;
        remote += std::count_if(distinct.begin(), distinct.end(), [&](std::int32_t id) {
            return placed.columns.owner(id) != device;
        });
    }
    return remote;
}

/// Distinct columns of batches of so many links of rows in this order, over those that as many
/// independent links would hit.
double distinct_factor(const Dataset& data, const std::vector<std::int32_t>& order,
                       std::int64_t batch_links)
{
    const SparseMatrix by_column = transpose(data.training);
    const auto all = static_cast<double>(data.training.links());
    const auto independent = [&](std::int64_t links) {
        double sum = 0;
        for (std::int32_t column = 0; column < by_column.rows; ++column) {
            const auto length = static_cast<double>(by_column.length(column));
            sum -= std::expm1(-static_cast<double>(links) * length / all);
        }
        return sum;
    };
    double found = 0;
    double expected = 0;
    std::set<std::int32_t> distinct;
    std::int64_t links = 0;
    for (const std::int32_t row : order) {
        const std::vector<std::int32_t> ids = data.training.ids(row);
        distinct.insert(ids.begin(), ids.end());
        links += data.training.length(row);
        if (links >= batch_links) {
            found += static_cast<double>(distinct.size());
            expected += independent(links);
            distinct.clear();
            links = 0;
        }
    }
    return found / expected;
}

TEST(Sharding, IndependentLinksGiveTheDistinctRowsOfShuffledPagesAndFiveTimesThoseOfACrawl)
{
    if (!std::filesystem::exists(web_file)) {
        GTEST_SKIP() << "no graph at " << web_file;
    }
    const Dataset data = without_split(read_matrix({web_file}));
    std::vector<std::int32_t> order = example_rows(data.training);
    const double crawl = distinct_factor(data, order, 16000);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    const double shuffled = distinct_factor(data, order, 16000);
    std::cout << "distinct rows over those of independent links: crawl " << crawl << ", shuffled "
              << shuffled << "\n";
    EXPECT_NEAR(shuffled, 1.0, 0.05);
    EXPECT_GT(crawl, 0.2);
    EXPECT_LT(crawl, 0.25);
}

TEST(Sharding, PartitionedRowsOfARealWebTravelLessThanCyclicAndHashedOnes)
{
    if (!std::filesystem::exists(web_file)) {
        GTEST_SKIP() << "no graph at " << web_file;
    }
    for (const int devices : {8, 64}) {
        const std::int64_t partitioned = remote_rows("partitioned", devices);
        for (const std::string& other : placements().names()) {
            if (other == "partitioned") {
                continue;
            }
            const std::int64_t rows = remote_rows(other, devices);
            std::cout << devices << " shards: " << other << " " << rows << " remote rows, "
                      << static_cast<double>(rows) / static_cast<double>(partitioned)
                      << " times those of partitioned (" << partitioned << ")\n";
            if (other != "contiguous") {
                EXPECT_GT(rows, 3 * partitioned) << other << " on " << devices;
            } else if (devices == 8) {
                EXPECT_GT(rows, partitioned);
            }
        }
    }
}

} // namespace
} // namespace alxsim::alx
