// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"
#include "alx/data/filter.h"
#include "alx/data/generator/generate.h"
#include "alx/solvers/solver.h"
#include "alx/steps/half_batches.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "tests/unit/alx/sharding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

/// Rows longer than a batch, split over 2, 3 and 7 batches: the tables are those of one batch, bit
/// for bit. On random links and on real webs, which are not part of the project: wiki-vote of SNAP
/// and cnr-2000 of LAW.
namespace alxsim::alx {
namespace {

constexpr std::int64_t line_length = 8;

const std::string data_folder = std::string(ALXSIM_SHARED_DIR) + "/data/";
const std::string wiki_file = data_folder + "wiki-vote/adj.txt.gz";
const std::string long_rows_file = data_folder + "cnr-2000/cnr-2000.graph";

std::int64_t longest_lines(const SparseMatrix& matrix)
{
    std::int64_t longest = 1;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        longest = std::max(longest, matrix.length(row));
    }
    return ceil_divide(longest, line_length);
}

/// Batches of which the longest row and the longest column fill so many.
AlxConfig with_batches(AlxConfig config, const Dataset& data, std::int64_t batches)
{
    const auto geometry = [&](const SparseMatrix& side) {
        const std::int64_t lines = ceil_divide(longest_lines(side), batches);
        return BatchGeometry{lines, line_length, lines};
    };
    config.long_rows = batches > 1 ? LongRows::split : LongRows::refuse;
    config.batch = geometry(data.training);
    config.column_batch = geometry(transpose(data.training));
    return config;
}

struct Variant {
    std::string name;
    std::function<void(AlxConfig&)> set;
};

std::vector<Variant> variants()
{
    std::vector<Variant> variants;
    const auto vary = [&](std::string AlxConfig::*choice, const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            variants.push_back({name, [=](AlxConfig& config) { config.*choice = name; }});
        }
    };
    vary(&AlxConfig::gather, gather_strategies().names());
    vary(&AlxConfig::scatter, scatter_strategies().names());
    vary(&AlxConfig::solver, solvers().names());
    for (const std::string& statistics : statistics_strategies().names()) {
        for (const model::DType dtype : {model::DType::bf16, model::DType::f64}) {
            variants.push_back(
                {statistics + " solved in " + (dtype == model::DType::f64 ? "f64" : "bf16"),
                 [=](AlxConfig& config) {
                     config.statistics = statistics;
                     config.solve_dtype = dtype;
                 }});
        }
    }
    for (const int passes : {1, 3, 6}) {
        variants.push_back({std::to_string(passes) + " passes",
                            [=](AlxConfig& config) { config.matmul_passes = passes; }});
    }
    variants.push_back(
        {"tables in bf16", [](AlxConfig& config) { config.table_dtype = model::DType::bf16; }});
    variants.push_back({"shipped sums of short rows, too", [](AlxConfig& config) {
                            config.gather = "ship_statistics";
                            config.gather_options = {{"min_length", 10}};
                            config.solve_dtype = model::DType::bf16;
                        }});
    variants.push_back({"two batches ahead", [](AlxConfig& config) {
                            config.gather = config.scatter = "all_to_all";
                            config.prefetch_depth = 2;
                        }});
    return variants;
}

AlxConfig small_config()
{
    AlxConfig config = clean_config();
    config.dim = 8;
    config.epochs = 2;
    return config;
}

void expect_the_bits_of_one_batch(const Dataset& data, int devices)
{
    for (const Variant& variant : variants()) {
        AlxConfig config = small_config();
        variant.set(config);
        const std::vector<float> whole = trained(with_batches(config, data, 1), data, devices);
        for (const std::int64_t batches : {2, 3, 7}) {
            EXPECT_EQ(trained(with_batches(config, data, batches), data, devices), whole)
                << variant.name << ", " << batches << " batches, " << devices << " devices";
        }
    }
}

TEST(LongRowsSplit, GiveTheTablesOfOneBatchOnRandomLinks)
{
    GenerateConfig config;
    config.rows = 600;
    config.columns = 500;
    config.links = 9000;
    config.min_links = 2;
    config.locality = 0.5;
    const Dataset data = without_split(generate(config, 5));
    for (const int devices : {1, 2, 8}) {
        expect_the_bits_of_one_batch(data, devices);
    }
}

TEST(LongRowsSplit, GiveTheTablesOfOneBatchOnWikiVote)
{
    if (!std::filesystem::exists(wiki_file)) {
        GTEST_SKIP() << "no graph at " << wiki_file;
    }
    expect_the_bits_of_one_batch(without_split(read_matrix({wiki_file})), 8);
}

TEST(LongRowsSplit, GiveTheTablesOfOneBatchOnARealWeb)
{
    if (!std::filesystem::exists(long_rows_file)) {
        GTEST_SKIP() << "no graph at " << long_rows_file;
    }
    FilterConfig filters;
    filters.min_out = 20;
    filters.min_in = 20;
    filters.same_nodes = true;
    expect_the_bits_of_one_batch(without_split(filter(read_matrix({long_rows_file}), filters)), 8);
}

/// Embedding shards and replicas have batches of their own.
TEST(LongRowsSplit, GiveTheTablesOfOneBatchOnEveryMesh)
{
    GenerateConfig generated;
    generated.rows = 600;
    generated.columns = 500;
    generated.links = 9000;
    generated.min_links = 2;
    generated.locality = 0.5;
    const Dataset data = without_split(generate(generated, 6));
    for (const char* scatter : {"all_gather", "all_to_all", "owner_computes"}) {
        for (const auto& [embedding, replicas] : {std::pair(2, 1), std::pair(1, 2)}) {
            AlxConfig config = small_config();
            config.gather = "all_to_all";
            config.scatter = scatter;
            const DeviceMesh mesh = mesh_of(4, embedding, replicas);
            EXPECT_EQ(trained(with_batches(config, data, 3), data, mesh),
                      trained(with_batches(config, data, 1), data, mesh))
                << scatter << ", " << embedding << " embedding shards, " << replicas << " replicas";
        }
    }
}

} // namespace
} // namespace alxsim::alx
