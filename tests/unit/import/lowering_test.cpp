// SPDX-License-Identifier: Apache-2.0
#include "model/graph/memory.h"
#include "tests/unit/import/lowered_texts.h"
#include "workloads/import/hlo/lowering/op_times.h"

#include <gtest/gtest.h>

/// What single instructions of compiled programs become.
namespace alxsim::hlo {
namespace {

TEST(Lowering, WhatLiesInVmemCostsNoHbm)
{
    const Lowered program = lowered_entry(copy_beside_compute);
    EXPECT_EQ(bytes_of_uses(op_named(program, "meanwhile").reads), 2 * 8192 * 128 * 4);
    EXPECT_EQ(bytes_of_uses(op_named(program, "after").reads), 8192 * 128 * 4);
}

TEST(Lowering, AFusionIsAProductWithAllVectorWorkAsItsEpilogue)
{
    const Lowered program = lowered_text(small_program);
    const auto& matmul = work_named<model::Matmul>(program, "y");
    EXPECT_EQ(matmul.m, 8);
    EXPECT_EQ(matmul.k, 128);
    EXPECT_EQ(matmul.n, 128);
    EXPECT_EQ(matmul.dtype, model::DType::bf16);
    ASSERT_TRUE(matmul.epilogue.has_value());
    EXPECT_EQ(matmul.epilogue->elements, 8 * 128);
    EXPECT_EQ(matmul.epilogue->medium_per_element, 1);
    EXPECT_EQ(program.origins.at("y").source, "");
}

TEST(Lowering, OperationsAreOfTheirClasses)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[1024,128]{1,0} parameter(0)
  ROOT %f = f32[1024,128]{1,0} fusion(%p), kind=kLoop, calls=%fused
)",
                                          R"(%fused (p: f32[1024,128]) -> f32[1024,128] {
  %p.1 = f32[1024,128]{1,0} parameter(0)
  %e = f32[1024,128]{1,0} exponential(%p.1)
  %r = f32[1024,128]{1,0} rsqrt(%e)
  %s = f32[1024,128]{1,0} sine(%r)
  %w = f32[1024,128]{1,0} power(%s, %r)
  ROOT %a = f32[1024,128]{1,0} add(%w, %s)
}

)");
    const auto& vector = work_named<model::Vector>(program, "f");
    EXPECT_EQ(vector.ops_per_element, 5);
    EXPECT_EQ(vector.medium_per_element, 1);
    EXPECT_EQ(vector.division_per_element, 1);
    EXPECT_EQ(vector.power_per_element, 1);
    EXPECT_EQ(vector.expensive_per_element, 1);
    EXPECT_EQ(vector.reduction, model::Reduction::none);
}

TEST(Lowering, ReductionsGoAlongLanesOrSublanes)
{
    const std::string reduce = R"(
  %p = f32[1024,512]{1,0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[1024]{0} reduce(%p, %zero), dimensions={DIMENSION}, to_apply=%add
)";
    const auto reduced = [&](const char* dimension) {
        std::string text = reduce;
        text.replace(text.find("DIMENSION"), 9, dimension);
        return work_named<model::Vector>(lowered_entry(text, add_computation), "r");
    };
    EXPECT_EQ(reduced("1").reduction, model::Reduction::lanes);
    EXPECT_EQ(reduced("1").minor, 512);
    EXPECT_EQ(reduced("0").reduction, model::Reduction::sublanes);
    EXPECT_EQ(reduced("0").elements, 1024 * 512);
}

TEST(Lowering, RowsThatBecomeColumnsAreATransposition)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[1024,512]{1,0} parameter(0)
  %turned = f32[1024,512]{0,1} copy(%p)
  ROOT %same = f32[1024,512]{0,1} copy(%turned)
)");
    EXPECT_EQ(work_named<model::Vector>(program, "turned").operation_class,
              model::OperationClass::transpose);
    EXPECT_EQ(work_named<model::Copy>(program, "same").bytes, Bytes(1024 * 512 * 4));
    EXPECT_EQ(work_named<model::Copy>(program, "same").bytes_back, Bytes(1024 * 512 * 4));
}

const char* const slice_fusion = R"(%inner (p: f32[64,1024]) -> f32[1024] {
  %p.2 = f32[64,1024]{1,0} parameter(0)
  %i.2 = s32[] parameter(1)
  %zero = s32[] constant(0)
  %part = f32[1,1024]{1,0} dynamic-slice(%p.2, %i.2, %zero), dynamic_slice_sizes={1,1024}
  ROOT %flat = f32[1024]{0} bitcast(%part)
}

%fused (p: f32[64,1024], i: s32[]) -> f32[1024] {
  %p.1 = f32[64,1024]{1,0} parameter(0)
  %i.1 = s32[] parameter(1)
  %through = f32[64,1024]{1,0} bitcast(%p.1)
  %row = f32[1024]{0} fusion(%through, %i.1), kind=kLoop, calls=%inner
  ROOT %twice = f32[1024]{0} add(%row, %row)
}

%update (p: f32[64,1024], r: f32[1,1024], i: s32[]) -> f32[64,1024] {
  %p.3 = f32[64,1024]{1,0} parameter(0)
  %r.3 = f32[1,1024]{1,0} parameter(1)
  %i.3 = s32[] parameter(2)
  %zero.3 = s32[] constant(0)
  ROOT %new = f32[64,1024]{1,0} dynamic-update-slice(%p.3, %r.3, %i.3, %zero.3)
}

)";

TEST(Lowering, ReadsWhatSlicesTakeAndWritesWhatUpdatesWrite)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[64,1024]{1,0} parameter(0)
  %i = s32[] parameter(1)
  %row = f32[1024]{0} fusion(%p, %i), kind=kLoop, calls=%fused
  %one = f32[1,1024]{1,0} bitcast(%row)
  ROOT %whole = f32[64,1024]{1,0} fusion(%p, %one, %i), kind=kLoop, calls=%update
)",
                                          slice_fusion);
    EXPECT_EQ(bytes_of_uses(op_named(program, "row").reads), 4096 + 4);
    EXPECT_EQ(bytes_of_uses(op_named(program, "row").writes), 4096);
    EXPECT_EQ(op_named(program, "row").reads.front().buffer.text(), "arguments");
    EXPECT_EQ(work_named<model::Copy>(program, "whole").bytes, Bytes(4096 + 4));
    EXPECT_EQ(work_named<model::Copy>(program, "whole").bytes_back, Bytes(4096));
}

TEST(Lowering, OnlyWhatIsAskedForIsReadAndComputed)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[64,1024]{1,0} parameter(0)
  %i = s32[] parameter(1)
  ROOT %row = f32[1,1024]{1,0} fusion(%p, %i), kind=kLoop, calls=%fused
)",
                                          R"(%fused (p: f32[64,1024], i: s32[]) -> f32[1,1024] {
  %p.1 = f32[64,1024]{1,0} parameter(0)
  %i.1 = s32[] parameter(1)
  %zero.1 = s32[] constant(0)
  %low.1 = f32[] constant(-inf)
  %short.1 = bf16[64,1024]{1,0} convert(%p.1)
  %wide.1 = f32[64,1024]{1,0} convert(%short.1)
  %padded.1 = f32[65,1024]{1,0} pad(%wide.1, %low.1), padding=0_1x0_0
  ROOT %part.1 = f32[1,1024]{1,0} dynamic-slice(%padded.1, %i.1, %zero.1), dynamic_slice_sizes={1,1024}
}

)");
    EXPECT_EQ(bytes_of_uses(op_named(program, "row").reads), 4096 + 4);
    const auto& vector = work_named<model::Vector>(program, "row");
    EXPECT_EQ(vector.elements, 1024);
    EXPECT_EQ(vector.ops_per_element, 3);
}

TEST(Lowering, GathersAndScattersCountRows)
{
    const Lowered program = lowered_entry(R"(
  %table = f32[100000,128]{1,0} parameter(0)
  %ids = s32[4096,1]{1,0} parameter(1)
  %rows = f32[4096,128]{1,0} gather(%table, %ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}
  ROOT %sums = f32[100000,128]{1,0} scatter(%table, %ids, %rows), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add
)",
                                          add_computation);
    const auto& gather = work_named<model::RowGather>(program, "rows");
    EXPECT_EQ(gather.rows, 4096);
    EXPECT_EQ(gather.row_bytes, Bytes(512));
    EXPECT_EQ(gather.table_rows, 100000);
    EXPECT_EQ(bytes_of_uses(op_named(program, "rows").reads), 4096 * 4); // the ids
    const auto& scatter = work_named<model::RowScatter>(program, "sums");
    EXPECT_EQ(scatter.rows, 4096);
    EXPECT_TRUE(scatter.accumulate);
    EXPECT_EQ(op_named(program, "sums").writes.front().buffer.text(), "temporaries");
}

TEST(Lowering, SortsAndTopKGoAlongRows)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[64,1024]{1,0} parameter(0)
  %sorted = f32[64,1024]{1,0} sort(%p), dimensions={1}, to_apply=%add
  ROOT %best = (f32[64,8]{1,0}, s32[64,8]{1,0}) custom-call(%sorted), custom_call_target="TopK"
)",
                                          add_computation);
    const auto& sort = work_named<model::AlongRows>(program, "sorted");
    EXPECT_EQ(sort.operation, model::RowOperation::sort);
    EXPECT_EQ(sort.rows, 64);
    EXPECT_EQ(sort.length, 1024);
    const auto& best = work_named<model::AlongRows>(program, "best");
    EXPECT_EQ(best.operation, model::RowOperation::top_k);
    EXPECT_EQ(best.k, 8);
}

/// The table is an operand of the fusion, wherever that comes from.
TEST(Lowering, RowsThatAFusionLooksUpComeFromTheTableInHbm)
{
    const Lowered program = lowered_text("HloModule m, is_scheduled=true\n"
                                         R"(
%look_up (t: bf16[100000,128], i: s32[16384]) -> bf16[16384,128] {
  %i = s32[16384]{0} parameter(1)
  %t = bf16[100000,128]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT %g = bf16[16384,128]{1,0:T(8,128)(2,1)} gather(%t, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}
}

ENTRY %e (p: (s32[16384], bf16[100000,128])) -> bf16[16384,128] {
  %p = (s32[16384]{0}, bf16[100000,128]{1,0:T(8,128)(2,1)}) parameter(0)
  %ids = s32[16384]{0} get-tuple-element(%p), index=0
  %table = bf16[100000,128]{1,0:T(8,128)(2,1)} get-tuple-element(%p), index=1
  ROOT %rows = bf16[16384,128]{1,0:T(8,128)(2,1)} fusion(%table, %ids), kind=kCustom, calls=%look_up
}
)");
    const model::Op& rows = op_named(program, "rows");
    EXPECT_EQ(std::get<model::RowGather>(rows.work).table_rows, 100000);
    ASSERT_FALSE(rows.reads.empty());
    EXPECT_NE(rows.reads.front().buffer.text(), "vmem");
    const topologies::Machine machine = slice_of("tpu_v3", "2x2", 8);
    const ProgramTimes times = times_of(program, machine);
    EXPECT_GE(times.step_seconds, 16384 * machine.device.gather_row.count());
}

/// A call of another thread: it has a queue of its own beside the TensorCore.
TEST(Lowering, RowsOfACallOnTheSparseCoreAreMovedThere)
{
    const std::string text = "HloModule m, is_scheduled=true\n"
                             R"(
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

%called (t: f32[4096,8], i: s32[16384], u: f32[16384,8]) -> f32[4096,8] {
  %t = f32[4096,8]{1,0} parameter(0)
  %i = s32[16384]{0} parameter(1)
  %u = f32[16384,8]{1,0} parameter(2)
  ROOT %s = f32[4096,8]{1,0} scatter(%t, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add
}, execution_thread="sparsecore"

ENTRY %e (t: f32[4096,8], i: s32[16384], u: f32[16384,8]) -> f32[4096,8] {
  %t = f32[4096,8]{1,0} parameter(0)
  %i = s32[16384]{0} parameter(1)
  %u = f32[16384,8]{1,0} parameter(2)
  %begin = ((f32[4096,8]{1,0}, s32[16384]{0}, f32[16384,8]{1,0}), f32[4096,8]{1,0}, u32[]{:S(8)}) call-start(%t, %i, %u), async_execution_thread="sparsecore", to_apply=%called
  ROOT %end = f32[4096,8]{1,0} call-done(%begin), async_execution_thread="sparsecore"
}
)";
    EXPECT_FALSE(work_named<model::RowScatter>(lowered_text(text), "s").on_sparse_core)
        << "lowered for a chip without one";
    const topologies::Machine machine = slice_of("tpu_v6e", "2x2", 4);
    const Lowered there = lowered_text(text, {}, machine);
    EXPECT_TRUE(work_named<model::RowScatter>(there, "s").on_sparse_core);
    EXPECT_LT(times_of(there, machine).step_seconds,
              16384 * machine.device.scatter_row.count() / 4);
}

const char* const kernel_without_cost = R"(
  %p = f32[1024,128]{1,0} parameter(0)
  ROOT %k = f32[1024,128]{1,0} custom-call(%p), custom_call_target="tpu_custom_call", metadata={op_name="jit(step)/jvp()/flash_fwd/pallas_call"}
)";

TEST(Lowering, WhatNobodyKnowsIsRefusedUntilItIsAssumed)
{
    const std::string text = module_of(kernel_without_cost);
    const std::string refusal = refusal_of_lowering(text);
    EXPECT_NE(refusal.find("flash_fwd"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("--assume"), std::string::npos) << refusal;
    LoweringOptions options;
    options.assumed = {{"flash_fwd", Assumption::of_seconds(2e-3)}};
    const Lowered program = lowered_text(text, options);
    EXPECT_TRUE(program.origins.at("k").assumed);
    EXPECT_EQ(program.assumed_share, 1);
    topologies::Machine machine = slice_of("tpu_v5e", "2x4", 8);
    machine.straggling = 1;
    EXPECT_NEAR(times_of(program, machine).step_seconds, 2e-3, 2e-6);
    ASSERT_FALSE(program.notes.empty());
}

TEST(Lowering, KernelsCountByTheirAuthorsEstimate)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[1024,128]{1,0} parameter(0)
  ROOT %k = f32[1024,128]{1,0} custom-call(%p), custom_call_target="tpu_custom_call", backend_config={"custom_call_config":{"body":"","cost_estimate":{"flops":1073741824,"transcendentals":131072,"bytes_accessed":1048576,"remote_bytes_transferred":0}}}
)");
    const auto& kernel = work_named<model::Custom>(program, "k");
    EXPECT_EQ(kernel.flops, 1073741824);
    EXPECT_EQ(kernel.transcendentals, 131072);
    EXPECT_FALSE(kernel.attention);
    EXPECT_EQ(bytes_of_uses(op_named(program, "k").reads), 524288);
    EXPECT_EQ(bytes_of_uses(op_named(program, "k").writes), 524288);
}

TEST(Lowering, KernelsOfAttentionAreToldByTheirNames)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[1024,128]{1,0} parameter(0)
  ROOT %k = f32[1024,128]{1,0} custom-call(%p), custom_call_target="tpu_custom_call", backend_config={"custom_call_config":{"body":"","cost_estimate":{"flops":1073741824,"transcendentals":131072,"bytes_accessed":1048576,"remote_bytes_transferred":0}}}, metadata={op_name="jit(step)/flash_attention/pallas_call"}
)");
    EXPECT_TRUE(work_named<model::Custom>(program, "k").attention);
}

TEST(Lowering, PhasesComeFromOpNames)
{
    const std::string add = R"(f32[8192,128] add(%p, %p), metadata={op_name="jit(step)/)";
    const auto with_names = [&](const std::vector<std::string>& names) {
        std::string text = "  %p = f32[8192,128] parameter(0)\n";
        for (std::size_t i = 0; i < names.size(); ++i) {
            text += std::string(i + 1 == names.size() ? "  ROOT %a" : "  %a") + std::to_string(i) +
                    " = " + add + names[i] + "\"}\n";
        }
        return lowered_entry(text).phases;
    };
    EXPECT_EQ(with_names({"jvp()/add", "transpose(jvp())/add",
                          "transpose(jvp())/rematted_computation/add", "add"}),
              (std::vector<std::string>{"forward", "backward", "recomputation", "optimizer"}));
    EXPECT_EQ(with_names({"attention/while/body/add", "while/body/mlp/add", "add"}),
              (std::vector<std::string>{"attention", "mlp", "program"}));
}

TEST(Lowering, MemoryIsThatOfTheAccounts)
{
    const topologies::Machine machine = slice_of("tpu_v5e", "2x4", 8);
    const Lowered program = lowered_text(small_program);
    const model::MemoryFit fit = model::memory_fit({{{program.graph, {}}, 1}}, machine);
    EXPECT_EQ(fit.needed.count(), program.accounts.memory.peak_bytes);
    EXPECT_EQ(fit.parts.at("arguments").count(), program.accounts.memory.arguments_bytes);
}

TEST(Lowering, AGraphIsReadBackAsItWas)
{
    const Lowered program = lowered_text(small_program);
    const Json written = model::to_json(*program.graph);
    EXPECT_EQ(model::to_json(model::op_graph_from_json(written, "graph.json")), written);
}

TEST(Lowering, TextThatIsNotScheduledAndSaysNoNumberOfDevicesRunsOnAll)
{
    const Lowered program = lowered_text("HloModule old\n\n" + add_computation + R"(ENTRY %main {
  %p = f32[1024,128] parameter(0)
  ROOT %sum = f32[1024,128] all-reduce(%p), replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=%add
}
)");
    EXPECT_EQ(work_named<model::Collective>(program, "sum").group, std::vector<std::string>{"y"});
    EXPECT_NE(program.notes.back().find("not scheduled"), std::string::npos);
}

TEST(Lowering, MachinesWithOtherNumbersOfDevicesAreRefused)
{
    const std::string refusal = [] {
        try {
            lowered_text(small_program, {}, slice_of("tpu_v5e", "2x2", 4));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    }();
    EXPECT_NE(refusal.find("found 8 partitions"), std::string::npos) << refusal;
}

} // namespace
} // namespace alxsim::hlo
