// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"
#include "tests/unit/alx/sharding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

/// The default study's job on the graph that comes with the project.
AlxConfig default_config()
{
    AlxConfig config;
    config.dim = 32;
    config.epochs = 2;
    config.batch = {128, 8, 64};
    config.column_batch = {2736, 8, 1024};
    return config;
}

const Dataset& embedded()
{
    static const Dataset data = split(
        read_matrix({std::string(ALXSIM_SOURCE_DIR) + "/experiments/data/debian-deps.adj.gz"}),
        SplitConfig{});
    return data;
}

std::vector<float> tables_after(const AlxConfig& config, int devices, int threads)
{
    return trained(config, embedded(), devices, threads);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
    }
    return largest;
}

TEST(EmbeddedGraph, TablesAreTheSameBitsForAnyNumberOfHostThreads)
{
    const std::vector<float> once = tables_after(default_config(), 4, 1);
    for (int threads : {2, 3, 8}) {
        EXPECT_EQ(once, tables_after(default_config(), 4, threads)) << threads << " threads";
    }
}

TEST(EmbeddedGraph, TablesInF32WithCholeskyAgreeFrom1To64Cores)
{
    AlxConfig config = default_config();
    config.table_dtype = model::DType::f32;
    config.solver = "cholesky";
    const std::vector<float> one = tables_after(config, 1, 2);
    double scale = 0;
    for (float value : one) {
        scale = std::max(scale, static_cast<double>(std::abs(value)));
    }
    for (int devices : {2, 4, 8, 16, 32, 64}) {
        EXPECT_LE(largest_difference(one, tables_after(config, devices, 2)), 1e-4 * scale)
            << devices << " cores";
    }
}

} // namespace
} // namespace alxsim::alx
