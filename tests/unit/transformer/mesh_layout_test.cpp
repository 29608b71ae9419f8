// SPDX-License-Identifier: Apache-2.0
// Where the replicas and the parts of one lie on a slice, and what it is worth.
#include "base/input_error.h"
#include "model/estimate.h"
#include "workloads/transformer/workload.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace alxsim::transformer {
namespace {

using topologies::Machine;
using topologies::SliceRequest;

Machine machine_of(const std::string& chip, int cores, const std::string& slice, int slices = 1)
{
    SliceRequest request;
    request.cores = cores;
    request.shape = slice;
    request.slices = slices;
    return topologies::make_machine(topologies::Preset::load(chip), request);
}

/// 7 billion parameters, 256 sequences a step.
TransformerConfig seven_billion()
{
    TransformerConfig config;
    config.size = {32, 4096, 32, 50304, 2048};
    config.batch = 256;
    config.mesh.data = 32;
    config.mesh.tensor = 4; // a device of v5p is a chip, of two cores
    config.recomputation = RecomputationPolicy::full;
    return config;
}

TransformerConfig gpt2_medium()
{
    TransformerConfig config;
    config.size = {24, 1024, 16, 50304, 1024};
    config.batch = 64;
    config.mesh.data = 16;
    config.mesh.tensor = 4;
    return config;
}

Picoseconds step_of(const TransformerConfig& config, const Machine& machine)
{
    const TransformerWorkload workload(config, machine);
    model::AnalyticModel model(machine);
    return model.step(workload.program().front().step).on_device.total;
}

std::string axes_of(const TransformerConfig& config, const Machine& machine)
{
    return TransformerWorkload(config, machine).describe().geometry.at("mesh_axes").dump();
}

TEST(TransformerMesh, OneSliceOfV5pBeatsTwoOfHalfItsSize)
{
    const TransformerConfig config = seven_billion();
    const Picoseconds one = step_of(config, machine_of("tpu_v5p", 256, "4x4x8"));
    EXPECT_EQ(one, step_of(config, machine_of("tpu_v5p", 256, "8x4x4")));
    EXPECT_LT(one, step_of(config, machine_of("tpu_v5p", 256, "4x4x4", 2)));
    EXPECT_EQ(axes_of(config, machine_of("tpu_v5p", 256, "8x4x4")),
              R"({"data":"x, y","tensor":"z"})");
}

TEST(TransformerMesh, OneSliceOfV5eBeatsSeveral)
{
    const TransformerConfig config = gpt2_medium();
    const Picoseconds one = step_of(config, machine_of("tpu_v5e", 64, "8x8"));
    const Picoseconds two = step_of(config, machine_of("tpu_v5e", 64, "4x8", 2));
    const Picoseconds four = step_of(config, machine_of("tpu_v5e", 64, "4x4", 4));
    EXPECT_LT(one, two);
    EXPECT_LT(two, four);
}

TEST(TransformerMesh, LiesWhereTheStudySays)
{
    TransformerConfig config = gpt2_medium();
    config.mesh.data = 4;
    config.mesh.tensor = 8;
    Machine machine = machine_of("tpu_v5e", 32, "4x8");
    machine.mesh_axes = {{"data", {"x"}}, {"tensor", {"y"}}};
    EXPECT_EQ(axes_of(config, machine), R"({"data":"x","tensor":"y"})");
    machine.mesh_axes = {{"tensor", {"x"}}};
    try {
        TransformerWorkload(config, machine, "study.json");
        ADD_FAILURE() << "8 devices on an axis of 4";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("study.json: /machine/axes: found"),
                  std::string::npos)
            << error.what();
    }
}

TEST(TransformerMesh, SaysWhyAnOverlapOfGradientsHidesNothing)
{
    TransformerConfig config = gpt2_medium();
    Machine machine = machine_of("tpu_v5e", 64, "8x8");
    const auto notes = [&] { return TransformerWorkload(config, machine).notes(); };
    EXPECT_TRUE(notes().empty());
    const Picoseconds without = step_of(config, machine);
    config.gradient_overlap = GradientOverlap::backward;
    ASSERT_EQ(notes().size(), 1U);
    EXPECT_NE(notes().front().find("hides nothing: cores of tpu_v5e wait"), std::string::npos);
    EXPECT_NEAR(step_of(config, machine) / without, 1, 1e-3);
    machine.network.collectives_overlap_compute = true;
    EXPECT_TRUE(notes().empty());
    EXPECT_LT(step_of(config, machine) / without, 0.95);
    config.mesh.data = 1;
    config.mesh.tensor = 64;
    config.size.heads = 64;
    ASSERT_EQ(notes().size(), 1U);
    EXPECT_NE(notes().front().find("one replica"), std::string::npos);
}

} // namespace
} // namespace alxsim::transformer
