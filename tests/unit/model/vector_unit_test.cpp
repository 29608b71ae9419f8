// SPDX-License-Identifier: Apache-2.0
#include "model/costs/vector_unit.h"

#include "base/input_error.h"
#include "model/bounds.h"
#include "model/compiled_graph.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace alxsim::model {
namespace {

/// The ALUs alone.
topologies::DeviceSpec without_other_slots(topologies::DeviceSpec device)
{
    device.eup_push = device.vpu_register_pass = 0;
    return device;
}

/// With round costs: registers of 8 x 128, 2 ALUs, medium 8, expensive 32, a lane reduction 16, a
/// conversion 1.
topologies::DeviceSpec v3_with_round_costs()
{
    return without_other_slots(machine_of("tpu_v3", 8,
                                          {{"vpu_medium_op_cycles", 8},
                                           {"vpu_expensive_op_cycles", 32},
                                           {"vpu_bf16_conversion_cycles", 1},
                                           {"xlu_lane_reduction_cycles", 16}})
                                   .device);
}

Vector vector_work(std::int64_t elements, std::int64_t minor = 0,
                   Reduction reduction = Reduction::none, DType dtype = DType::f32)
{
    return {elements, 1, dtype, OperationClass::cheap, reduction, minor};
}

Vector classed(OperationClass operation_class, double ops_per_element)
{
    return {10 * 1024, ops_per_element, DType::f32, operation_class};
}

TEST(VectorUnit, TakesElementsOverLanesSublanesAndAlus)
{
    // 10 registers, 3 operations on each, 2 ALUs.
    EXPECT_EQ(vector_cycles(Vector{10 * 1024, 3, DType::f32}, v3_with_round_costs()), Cycles(15));
    EXPECT_EQ(vector_cycles(Vector{10 * 1024 + 1, 3, DType::f32}, v3_with_round_costs()),
              Cycles(17)); // 33 / 2
    EXPECT_EQ(vector_cycles(Vector{0, 3, DType::f32}, v3_with_round_costs()), Cycles(0));
    // 4 ALUs a core on v5e; two cores of 2 on v4.
    for (const auto& [chip, cores] : {std::pair("tpu_v5e", 1), {"tpu_v4", 2}}) {
        EXPECT_EQ(vector_cycles(Vector{10 * 1024, 3, DType::f32},
                                without_other_slots(machine_of(chip, cores).device)),
                  Cycles(8));
    }
}

TEST(VectorUnit, TakesWhatADenseOpTookBeforeItKnewMore)
{
    const topologies::DeviceSpec device = v3_with_round_costs();
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        const auto elements = static_cast<std::int64_t>(random() % 100'000'000);
        const double operations = 0.25 * static_cast<double>(random() % 100);
        const double registers = std::ceil(static_cast<double>(elements) / (128.0 * 8));
        for (const DType dtype : {DType::f32, DType::i32, DType::f64}) {
            EXPECT_EQ(vector_cycles(Vector{elements, operations, dtype}, device).count(),
                      static_cast<std::int64_t>(std::ceil(registers * operations / 2.0)));
        }
    }
}

TEST(VectorUnit, TakesLongerForMediumAndExpensiveOperations)
{
    EXPECT_EQ(vector_cycles(classed(OperationClass::cheap, 1), v3_with_round_costs()),
              Cycles(10 / 2));
    EXPECT_EQ(vector_cycles(classed(OperationClass::medium, 1), v3_with_round_costs()),
              Cycles(10 * 8 / 2));
    EXPECT_EQ(vector_cycles(classed(OperationClass::expensive, 1), v3_with_round_costs()),
              Cycles(10 * 32 / 2));
}

TEST(VectorUnit, GoesAsFastAsItsSlowestSlot)
{
    topologies::DeviceSpec device = v3_with_round_costs();
    device.eup_push = 3;
    device.vpu_register_pass = 1;
    // 10 registers: an addition is a load and a store, an exp a push, eight additions eight
    // instructions on two ALUs.
    EXPECT_EQ(vector_cycles(classed(OperationClass::cheap, 1), device), Cycles(10));
    device.vpu_medium_op = 2;
    EXPECT_EQ(vector_cycles(classed(OperationClass::medium, 1), device), Cycles(30));
    Vector both = classed(OperationClass::cheap, 9);
    both.medium_per_element = 1;
    EXPECT_EQ(vector_cycles(both, device), Cycles(10 * (8 + 2) / 2));
    // Half as many words of bf16 come and go.
    both = vector_work(10 * 1024, 0, Reduction::none, DType::bf16);
    device.vpu_bf16_conversion = 0;
    device.vpu_register_pass = 2;
    EXPECT_EQ(vector_cycles(both, device), Cycles(10));
}

TEST(VectorUnit, DividesAndRaisesToPowersAtCostsOfTheirOwn)
{
    for (const std::string& chip : topologies::Preset::names()) {
        const topologies::DeviceSpec device = machine_of(chip, 1).device;
        const auto cycles = [&](OperationClass of) {
            return vector_cycles(classed(of, 1), device);
        };
        EXPECT_LE(cycles(OperationClass::cheap), cycles(OperationClass::medium)) << chip;
        EXPECT_LE(cycles(OperationClass::medium), cycles(OperationClass::division)) << chip;
        EXPECT_LT(cycles(OperationClass::division), cycles(OperationClass::power)) << chip;
        EXPECT_LT(cycles(OperationClass::power), cycles(OperationClass::expensive)) << chip;
    }
}

TEST(VectorUnit, TakesTwoBf16AtOnceOn7xAlone)
{
    const auto cycles = [](const char* chip, DType dtype) {
        return vector_cycles(Vector{1 << 20, 8, dtype}, machine_of(chip, 1).device);
    };
    EXPECT_LT(cycles("tpu_7x", DType::bf16), cycles("tpu_7x", DType::f32));
    EXPECT_GT(cycles("tpu_v6e", DType::bf16), cycles("tpu_v6e", DType::f32));
}

TEST(VectorUnit, TransposesThroughTheXlu)
{
    topologies::DeviceSpec device = v3_with_round_costs();
    device.xlu_transpose = 3;
    const VectorWork work = vector_work(classed(OperationClass::transpose, 1), device);
    EXPECT_EQ(work.arithmetic, Cycles(0));
    EXPECT_EQ(work.reduction, Cycles(30));
}

TEST(VectorUnit, TakesAsLongForALastDimensionOf64AsOf128)
{
    // 80 rows: 10 registers.
    EXPECT_EQ(vector_work(vector_work(80 * 128, 128), v3_with_round_costs()).registers, 10);
    EXPECT_EQ(vector_work(vector_work(80 * 64, 64), v3_with_round_costs()).registers, 10);
    EXPECT_EQ(vector_work(vector_work(80 * 64), v3_with_round_costs()).registers, 5); // densely
    EXPECT_EQ(vector_cycles(vector_work(80 * 64, 64), v3_with_round_costs()),
              vector_cycles(vector_work(80 * 128, 128), v3_with_round_costs()));
    // 129 lanes are two registers' width, 9 rows two registers' height.
    EXPECT_EQ(vector_work(vector_work(9 * 129, 129), v3_with_round_costs()).registers, 4);
    EXPECT_EQ(vector_work(vector_work(0, 129), v3_with_round_costs()).registers, 0);
}

TEST(VectorUnit, NeverPadsDownwards)
{
    const topologies::DeviceSpec device = v3_with_round_costs();
    std::mt19937 random(2);
    for (int i = 0; i < 500; ++i) {
        const auto minor = static_cast<std::int64_t>(1 + random() % 1000);
        const std::int64_t elements = minor * static_cast<std::int64_t>(1 + random() % 1000);
        const auto padded = vector_work(vector_work(elements, minor), device).registers;
        EXPECT_GE(padded, vector_work(vector_work(elements), device).registers);
        EXPECT_LE(padded, ceil_divide(minor, 128) * ceil_divide(elements / minor, 8));
    }
}

TEST(VectorUnit, UnpacksAndPacks16BitsForAlusOf32)
{
    // 10 registers of words: 10 operations and as many conversions on 2 ALUs.
    for (const DType dtype : {DType::bf16, DType::i8, DType::fp8_e4m3}) {
        const Vector half = vector_work(10 * 1024, 0, Reduction::none, dtype);
        EXPECT_EQ(vector_cycles(half, v3_with_round_costs()), Cycles((10 + 10) / 2));
    }
    EXPECT_EQ(vector_cycles(vector_work(10 * 1024), v3_with_round_costs()), Cycles(10 / 2));
}

TEST(Reductions, CostMoreThanNone)
{
    for (const std::string& chip : topologies::Preset::names()) {
        const topologies::DeviceSpec device = machine_of(chip, 8).device;
        for (const std::int64_t rows : {8, 80, 8000}) {
            const auto cycles = [&](Reduction reduction) {
                return vector_cycles(vector_work(rows * 128, 128, reduction), device);
            };
            EXPECT_GT(cycles(Reduction::lanes), cycles(Reduction::none)) << chip << rows;
            EXPECT_GT(cycles(Reduction::sublanes), cycles(Reduction::none)) << chip << rows;
        }
    }
}

TEST(Reductions, OverLanesTakeARegisterForEvery8RowsThroughTheXlu)
{
    // 80 rows of 512 are 40 registers; those of a row are added up first: 10 are left.
    const VectorWork work =
        vector_work(vector_work(80 * 512, 512, Reduction::lanes), v3_with_round_costs());
    EXPECT_EQ(work.registers, 40);
    EXPECT_EQ(work.arithmetic, Cycles(20));
    EXPECT_EQ(work.reduction, Cycles(10 * 16));
    // Without a last dimension, every register.
    EXPECT_EQ(
        vector_work(vector_work(80 * 512, 0, Reduction::lanes), v3_with_round_costs()).reduction,
        Cycles(40 * 16));
}

TEST(Reductions, OverSublanesTakeSevenInstructionsARegister)
{
    EXPECT_EQ(vector_cycles(vector_work(80 * 128, 128, Reduction::sublanes), v3_with_round_costs()),
              Cycles(5 + 10 * 7 / 2));
}

TEST(Reductions, AreSharedByTheTensorCoresOfADevice)
{
    const Overrides round{{"xlu_lane_reduction_cycles", 16}};
    const Vector vector = vector_work(88 * 128, 128, Reduction::lanes); // 11 registers
    EXPECT_EQ(vector_work(vector, machine_of("tpu_v4", 1, round).device).reduction,
              Cycles(11 * 16));
    EXPECT_EQ(vector_work(vector, machine_of("tpu_v4", 2, round).device).reduction, Cycles(6 * 16));
}

TEST(Reductions, OfAFewRowsStayBelowWhatV4WasMeasuredToTake)
{
    // f32[8,128] summed over its rows takes 1045 cycles in two ops, through CMEM: more than the
    // sum.
    EXPECT_LT(
        vector_cycles(vector_work(8 * 128, 128, Reduction::lanes), machine_of("tpu_v4", 1).device),
        Cycles(1045));
}

Vector any_vector(std::mt19937& random)
{
    const auto minor = static_cast<std::int64_t>(random() % 1000);
    return {static_cast<std::int64_t>(random() % 1'000'000),
            0.25 * static_cast<double>(random() % 100),
            static_cast<DType>(random() % 4),
            static_cast<OperationClass>(random() % 3),
            static_cast<Reduction>(random() % 3),
            minor};
}

TEST(VectorUnit, IsNeverFasterThanItsAlus)
{
    std::mt19937 random(3);
    for (const std::string& chip : topologies::Preset::names()) {
        const topologies::Machine machine = machine_of(chip, 8);
        for (int i = 0; i < 100; ++i) {
            const Op op = op_of(any_vector(random));
            EXPECT_GE(to_seconds(op_cost(op, {}, machine).body).count() + 1e-12,
                      physical_bound(op, {}, machine).count())
                << to_json(op);
        }
    }
}

TEST(VectorUnit, SaysThatTheXluHoldsUpAReduction)
{
    const topologies::Machine machine = machine_of("tpu_v3", 8);
    const auto limited_by = [&](const Vector& vector) {
        return op_cost(op_of(vector), {}, machine).limited_by;
    };
    EXPECT_EQ(limited_by(vector_work(80 * 128, 128, Reduction::lanes)), "XLU");
    EXPECT_EQ(limited_by(vector_work(80 * 128, 128)), "VPU");
}

TEST(VectorUnit, BeyondWhatSimulatedTimeHoldsIsRefused)
{
    EXPECT_THROW(
        vector_cycles(Vector{1'000'000'000'000'000, 1e12, DType::f32}, v3_with_round_costs()),
        InputError);
}

TEST(VectorJson, KnowsClassReductionAndLastDimension)
{
    const Op op =
        op_of(Vector{640, 2, DType::bf16, OperationClass::expensive, Reduction::lanes, 64});
    const Op back = op_from_json(to_json(op), "op");
    EXPECT_EQ(to_json(back), to_json(op));
    const Vector& vector = std::get<Vector>(back.work);
    EXPECT_EQ(vector.operation_class, OperationClass::expensive);
    EXPECT_EQ(vector.reduction, Reduction::lanes);
    EXPECT_EQ(vector.minor, 64);
}

TEST(VectorJson, IsOfCheapDenseOperationsWithoutAReductionUnlessTold)
{
    const Op op = op_from_json(Json::parse(R"({"work": "vector", "elements": 8})"), "op");
    const Vector& vector = std::get<Vector>(op.work);
    EXPECT_EQ(vector.operation_class, OperationClass::cheap);
    EXPECT_EQ(vector.reduction, Reduction::none);
    EXPECT_EQ(vector.minor, 0);
}

TEST(VectorJson, SinglesOutOperationsOfAFusion)
{
    const Op op = op_from_json(Json::parse(R"({"work": "vector", "elements": 8192,
        "ops_per_element": 10, "medium_per_element": 1, "expensive_per_element": 0.5,
        "division_per_element": 2, "power_per_element": 0.25})"),
                               "op");
    EXPECT_EQ(to_json(op_from_json(to_json(op), "op")), to_json(op));
    const auto refused = [](const std::string& fields) {
        try {
            op_from_json(Json::parse(R"({"work": "vector", "elements": 8, )" + fields + "}"), "op");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(refused(R"("ops_per_element": 2, "medium_per_element": 3)")
                  .find("more operations of other classes than ops_per_element"),
              std::string::npos);
    EXPECT_NE(refused(R"("ops_per_element": 2, "medium_per_element": 1,
                         "operation_class": "expensive")")
                  .find("/ops/0/operation_class: found beside medium_per_element"),
              std::string::npos);
}

TEST(VectorCycles, CountEachOperationAsItsOwnClass)
{
    topologies::DeviceSpec device = v3_with_round_costs();
    device.vpu_medium_op = 10;
    device.vpu_expensive_op = 100;
    const auto cycles = [&](double operations, double medium, double expensive) {
        Vector vector{1024 * 1000, operations, DType::f32};
        vector.medium_per_element = medium;
        vector.expensive_per_element = expensive;
        return vector_cycles(vector, device).count();
    };
    const std::int64_t cheap = cycles(1, 0, 0);
    EXPECT_EQ(cycles(10, 1, 0), (9 + 10) * cheap) << "one exp and nine additions";
    EXPECT_EQ(cycles(10, 0, 2), (8 + 200) * cheap);
    EXPECT_EQ(cycles(10, 1, 1), (8 + 10 + 100) * cheap);
}

TEST(VectorJson, RefusesAnUnknownClass)
{
    EXPECT_THROW(
        op_from_json(Json::parse(R"({"work": "vector", "elements": 8, "operation_class": "dear"})"),
                     "op"),
        InputError);
    EXPECT_THROW(
        op_from_json(Json::parse(R"({"work": "vector", "elements": 8, "minor": -1})"), "op"),
        InputError);
}

} // namespace
} // namespace alxsim::model
