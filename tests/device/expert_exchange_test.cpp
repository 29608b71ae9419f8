// SPDX-License-Identifier: Apache-2.0
// Tokens on their way to experts: the all-to-all of a training step against the closed form of one
// along the same axis, in both engines.
#include "model/graph/for_each_op.h"
#include "model/meshes/laid_program.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"
#include "workloads/transformer/experts/expert_layer.h"
#include "workloads/transformer/steps/training_step.h"

#include <gtest/gtest.h>

#include <optional>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;
using topologies::SliceRequest;

/// A layer of experts, one axis of the slice along `expert`.
transformer::TransformerConfig experts_on(int data, int expert, double capacity)
{
    transformer::TransformerConfig config;
    config.size = {1, 2048, 16, 32000, 2048};
    config.size.kv_heads = 4;
    config.size.gated = true;
    config.size.norm = transformer::NormKind::rms;
    config.size.positions = transformer::Positions::rotary;
    config.size.biases = transformer::Biases::none;
    config.size.experts = {2 * expert, 2, 1024, capacity};
    config.batch = std::int64_t{2} * data * expert;
    config.mesh.data = data;
    config.mesh.expert = expert;
    config.attention = transformer::AttentionKind::flash;
    return config;
}

/// All-to-alls of a step as they are laid on the machine.
std::vector<model::Op> exchanges_of(const transformer::TransformerConfig& config,
                                    const Machine& machine)
{
    const transformer::TrainingStep step(config);
    const model::Program program = model::laid_out({{{step.graph(), {}, 1}, 1}}, machine, "");
    std::vector<model::Op> exchanges;
    model::for_each_op(*program.front().step.graph, [&](const model::Op& op) {
        const auto* const collective = std::get_if<Collective>(&op.work);
        if (collective != nullptr && collective->kind == CollectiveKind::all_to_all) {
            exchanges.push_back(op);
            exchanges.back().after.clear();
            exchanges.back().reads.clear();
            exchanges.back().writes.clear();
        }
    });
    return exchanges;
}

Machine v5e(int chips, const std::string& shape)
{
    return machine_of("tpu_v5e", SliceRequest{chips, shape, {}});
}

/// Bytes that a device sends: of its two sequences.
Bytes bytes_of(const transformer::TransformerConfig& config)
{
    const transformer::ModelSize& size = config.size;
    const std::int64_t places =
        transformer::capacity_of(size.experts.capacity, size.sequence, 2, size.experts.count);
    const std::int64_t rows = places > 0 ? 2 * size.experts.count * places : 2 * size.sequence * 2;
    return Bytes(rows * size.hidden * 2);
}

void expect_closed_form(const transformer::TransformerConfig& config, const Machine& machine,
                        const std::string& axis)
{
    const std::vector<model::Op> exchanges = exchanges_of(config, machine);
    ASSERT_EQ(exchanges.size(), 4u);
    Collective along{CollectiveKind::all_to_all, bytes_of(config)};
    along.group = {axis};
    along.dtype = model::DType::bf16;
    const double closed =
        static_cast<double>(model::closed_form_time(model::make_schedule(along, machine)).count() +
                            to_picoseconds(machine.device.collective_launch).count());
    for (const model::Op& op : exchanges) {
        EXPECT_EQ(std::get<Collective>(op.work).bytes, along.bytes);
        EXPECT_NEAR(static_cast<double>(estimated(machine, op).count()) / closed, 1, 0.01);
        EXPECT_NEAR(static_cast<double>(simulated(machine, op).count()) / closed, 1, 0.01);
        EXPECT_GE(to_seconds(simulated(machine, op)).count(),
                  model::collective_bound(along, machine).count());
    }
}

TEST(ExpertExchange, TakesTheClosedFormOfAnAllToAllAlongItsAxis)
{
    for (const double capacity : {0.0, 1.25}) {
        expect_closed_form(experts_on(1, 4, capacity), v5e(4, "1x4"), "y");
        expect_closed_form(experts_on(2, 4, capacity), v5e(8, "2x4"), "y");
        expect_closed_form(experts_on(16, 16, capacity), v5e(256, "16x16"), "y");
    }
}

/// Time of the first exchange where the first member's experts get so many times the mean.
double unequal(const transformer::ExpertLoads& loads, bool is_simulated)
{
    transformer::TransformerConfig config = experts_on(2, 4, 0);
    config.expert_loads = loads;
    const Machine machine = v5e(8, "2x4");
    const model::Op op = exchanges_of(config, machine).front();
    return to_seconds(is_simulated ? simulated(machine, op) : estimated(machine, op)).count();
}

TEST(ExpertExchange, TakesLongerWhereOneDeviceGetsMore)
{
    for (const bool is_simulated : {false, true}) {
        EXPECT_NEAR(unequal({1.3}, is_simulated) / unequal({}, is_simulated), 1.3, 0.02);
        const double even = unequal({1, {1, 1, 1, 1}}, is_simulated);
        EXPECT_GT(even, unequal({}, is_simulated)) << "message by message";
        EXPECT_GT(unequal({1.3, {1.3, 1.1, 0.9, 0.7}}, is_simulated), 1.1 * even);
        EXPECT_LT(unequal({1.3, {1.3, 1.1, 0.9, 0.7}}, is_simulated), 1.3 * even);
    }
}

TEST(ExpertExchange, HasAllBytesInItsMessages)
{
    transformer::TransformerConfig config = experts_on(2, 4, 0);
    config.expert_loads = {1.5, {1.5, 1.25, 0.75, 0.5}};
    for (const model::Op& op : exchanges_of(config, v5e(8, "2x4"))) {
        const auto& collective = std::get<Collective>(op.work);
        ASSERT_TRUE(collective.messages);
        std::int64_t sent = 0;
        for (const model::PairMessage& message : *collective.messages) {
            sent += message.bytes.count();
        }
        // A device keeps its own experts' part: on average a quarter.
        EXPECT_EQ(sent, 8 * collective.bytes.count() * 3 / 4);
    }
}

/// For a mesh of data 2, expert 4 the search puts expert along x of 4x2, whose chips do not follow
/// each other: messages between the mesh's places that did not move with it would leave their
/// group.
TEST(ExpertExchange, MessagesMoveWithTheMesh)
{
    transformer::TransformerConfig config = experts_on(2, 4, 0);
    config.expert_loads = {1.5, {1.5, 1.25, 0.75, 0.5}};
    const Machine turned = v5e(8, "4x2");
    const model::Op op = exchanges_of(config, turned).front();
    const auto& collective = std::get<Collective>(op.work);
    ASSERT_FALSE(collective.mesh->devices.empty());
    const Machine straight = v5e(8, "2x4");
    EXPECT_EQ(simulated(turned, op), simulated(straight, exchanges_of(config, straight).front()));
}

} // namespace
} // namespace alxsim::sim
