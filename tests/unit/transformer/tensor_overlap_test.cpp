// SPDX-License-Identifier: Apache-2.0
// Which products are made while their tokens go round.
#include "workloads/transformer/tensor_overlap.h"

#include "base/input_error.h"
#include "tests/unit/model/building.h"
#include "workloads/transformer/workload.h"

#include <gtest/gtest.h>

namespace alxsim::transformer {
namespace {

/// Devices that share products, and have `columns` each of the MLP's width.
TransformerConfig config_of_columns(std::int64_t columns, int devices = 8)
{
    TransformerConfig config;
    config.size = {2, 4096, 32, 32768, 1024};
    config.size.mlp_width = devices * columns;
    config.batch = 8;
    config.sharding = ShardingKind::one_dimensional_sequence;
    config.mesh.tensor = devices;
    return config;
}

bool rings_of_mlp(const TransformerConfig& config, const std::string& chip)
{
    const CutProducts products =
        products_in_rings(config, model::machine_of(chip, config.devices()));
    EXPECT_EQ(products.has(CutProduct::fc1), products.has(CutProduct::fc2));
    return products.has(CutProduct::fc1);
}

/// What libtpu 0.0.42.1 makes by default of relu(x A) B, x dealt by rows: over 8 chips a ring of
/// permutes for A of 4096 x 16384 and 4096 x 8192, a gather for 4096 x 4096; over 16 a ring for
/// 1024 x 8192 and a gather for 1024 x 4096.
TEST(TensorOverlap, TakesTheFormThatTheCompilerTook)
{
    EXPECT_TRUE(rings_of_mlp(config_of_columns(2048), "tpu_v5e"));
    EXPECT_TRUE(rings_of_mlp(config_of_columns(1024), "tpu_v5e"));
    EXPECT_FALSE(rings_of_mlp(config_of_columns(512), "tpu_v5e"));
    EXPECT_TRUE(rings_of_mlp(config_of_columns(512, 16), "tpu_v5e"));
    EXPECT_FALSE(rings_of_mlp(config_of_columns(256, 16), "tpu_v5e"));
    EXPECT_TRUE(rings_of_mlp(config_of_columns(2048), "tpu_v6e"));
    EXPECT_FALSE(rings_of_mlp(config_of_columns(2048), "tpu_v3")) << "cores wait for permutes";
}

TEST(TensorOverlap, IsWhatTheStudySays)
{
    TransformerConfig config = config_of_columns(512);
    config.tensor_overlap = TensorOverlap::ring;
    EXPECT_TRUE(rings_of_mlp(config, "tpu_v5e"));
    EXPECT_TRUE(rings_of_mlp(config, "tpu_v3"));
    config = config_of_columns(2048);
    config.tensor_overlap = TensorOverlap::none;
    EXPECT_FALSE(rings_of_mlp(config, "tpu_v5e"));
}

TEST(TensorOverlap, IsOfTokensThatAreDealtAndOfWholeNumbers)
{
    TransformerConfig config = config_of_columns(2048);
    config.precision = Precision::int8;
    EXPECT_FALSE(rings_of_mlp(config, "tpu_v5e"));
    config = config_of_columns(2048);
    config.sharding = ShardingKind::one_dimensional;
    EXPECT_FALSE(rings_of_mlp(config, "tpu_v5e"));
    config = config_of_columns(2048);
    config.mesh = {8, 1, 1, 1, 1, 1}; // replicas
    EXPECT_FALSE(rings_of_mlp(config, "tpu_v5e"));
}

TEST(TensorOverlap, RefusesARingWhereNoneIs)
{
    TransformerConfig config = config_of_columns(2048);
    config.tensor_overlap = TensorOverlap::ring;
    EXPECT_NO_THROW(check_sizes(config, "study.json"));
    config.sharding = ShardingKind::one_dimensional;
    EXPECT_THROW(check_sizes(config, "study.json"), InputError);
    config.sharding = ShardingKind::one_dimensional_sequence;
    config.precision = Precision::fp8;
    EXPECT_THROW(check_sizes(config, "study.json"), InputError);
}

TEST(TensorOverlap, IsToldInANote)
{
    const topologies::Machine machine = model::machine_of("tpu_v5e", 8);
    const auto has_note = [&](const TransformerConfig& config) {
        const TransformerWorkload workload(config, machine);
        for (const std::string& note : workload.notes()) {
            if (note.find("\"tensor_overlap\": \"compiled\"") != std::string::npos) {
                EXPECT_NE(note.find("fc1"), std::string::npos) << note;
                return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(has_note(config_of_columns(2048)));
    TransformerConfig config = config_of_columns(2048);
    config.tensor_overlap = TensorOverlap::none;
    EXPECT_FALSE(has_note(config));
}

} // namespace
} // namespace alxsim::transformer
