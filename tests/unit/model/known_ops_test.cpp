// SPDX-License-Identifier: Apache-2.0
// Ops that are known by their time, and kernels known by what their author says.
#include "base/input_error.h"
#include "model/costs/op_cost.h"
#include "model/explain_op.h"
#include "model/graph/work_json.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

Picoseconds time_of(const Work& work, const topologies::Machine& machine, Bytes read = Bytes(0))
{
    Op op;
    op.work = work;
    if (read > Bytes(0)) {
        op.reads = {{"operand", read}};
    }
    return explain_op(op, machine).closed_form;
}

TEST(FixedOps, TakeTheirTimeAndNothingElse)
{
    const topologies::Machine machine = machine_of("tpu_v5e", 1);
    const Seconds known(1.25e-4);
    for (const auto& [unit, occupied] : {std::pair(FixedUnit::tensor_core, Unit::vpu),
                                         {FixedUnit::sparse_core, Unit::sparse_core},
                                         {FixedUnit::dma, Unit::dma},
                                         {FixedUnit::host, Unit::host_in}}) {
        EXPECT_EQ(time_of(Fixed{known, unit}, machine), to_picoseconds(known));
        Op op;
        op.work = Fixed{known, unit};
        EXPECT_EQ(op_cost(op, {}, machine).unit, occupied);
    }
    // What they read may take longer: 819 GB in a second.
    EXPECT_NEAR(time_of(Fixed{known}, machine, Bytes(819'200'000)) / to_picoseconds(Seconds(1e-3)),
                1, 0.1);
}

TEST(CustomOps, TakeThePeaksTimeForTheirProductsOrTheirPushes)
{
    const topologies::Machine machine = machine_of("tpu_v6e", 1);
    const Picoseconds launch = to_picoseconds(machine.device.op_overhead);
    const double peak = machine.device.matmul_flops();
    const auto seconds = [&](const Custom& custom) {
        return to_seconds(time_of(custom, machine) - launch).count();
    };
    EXPECT_NEAR(seconds({1e12}), 1e12 / peak, 1e-9);
    EXPECT_NEAR(seconds({1e12, 0, DType::i8}), 1e12 / peak / 2, 1e-9);
    const double pushes = 1e9 / 1024 * machine.device.eup_push / machine.device.clock_hz;
    EXPECT_NEAR(seconds({0, 1e9}), pushes, 1e-9);
    EXPECT_NEAR(seconds({1e9, 1e9}), pushes, 1e-9) << "beside each other";
}

TEST(CustomOps, OfAttentionReachAShareOfTheArrays)
{
    for (const char* chip : {"tpu_v4", "tpu_v5e", "tpu_v5p", "tpu_v6e", "tpu_7x"}) {
        const topologies::Machine machine = machine_of(chip, 2);
        const Picoseconds launch = to_picoseconds(machine.device.op_overhead);
        const Picoseconds kernel = time_of(Custom{1e12}, machine) - launch;
        const Picoseconds attention = time_of(Custom{1e12, 0, DType::bf16, true}, machine) - launch;
        EXPECT_NEAR(kernel / attention, machine.device.attention_kernel_mxu, 1e-6) << chip;
        EXPECT_LT(machine.device.attention_kernel_mxu, 0.75) << chip;
    }
}

TEST(KnownOps, AreReadAndWrittenAlike)
{
    for (
        const char* text :
        {R"({"work":"fixed","seconds":0.001,"unit":"host"})",
         R"({"work":"custom","flops":1e12,"transcendentals":5.0,"dtype":"i8","attention":true})"}) {
        const Json json = Json::parse(text);
        EXPECT_EQ(to_json(op_from_json(json, "op").work), json);
    }
    EXPECT_THROW(op_from_json(Json::parse(R"({"work":"fixed"})"), "op"), InputError);
    EXPECT_THROW(op_from_json(Json::parse(R"({"work":"fixed","seconds":-1})"), "op"), InputError);
    EXPECT_THROW(time_of(Custom{1, 0, DType::f64}, machine_of("tpu_v5e", 1)), InputError);
}

TEST(KnownOps, ThatLastBeyondSimulatedTimeAreRefused)
{
    const topologies::Machine machine = machine_of("tpu_v5e", 1);
    EXPECT_THROW(time_of(Custom{1e30}, machine), InputError);
    EXPECT_THROW(time_of(Custom{0, 1e30}, machine), InputError);
    EXPECT_THROW(time_of(Fixed{Seconds(1e9)}, machine), InputError);
}

} // namespace
} // namespace alxsim::model
