// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/lowering.h"

#include "model/graph/check.h"
#include "model/graph/memory.h"
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/lowering/collective_lowering.h"
#include "workloads/import/hlo/lowering/op_times.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::hlo {
namespace {

using model::Op;

topologies::Machine slice_of(const std::string& chip, const std::string& shape, int cores,
                             int slices = 1)
{
    topologies::SliceRequest request;
    request.cores = cores;
    request.shape = shape;
    request.slices = slices;
    return topologies::make_machine(topologies::Preset::load(chip), request);
}

Lowered lowered_text(const std::string& text, const LoweringOptions& options = {},
                     const topologies::Machine& machine = slice_of("tpu_v5e", "2x4", 8))
{
    Lowered program = lowered(read_hlo_text(text, "a.hlo"), nullptr, machine, options);
    model::check(*program.graph, machine);
    return program;
}

Lowered lowered_entry(const std::string& instructions, const std::string& before = "",
                      const LoweringOptions& options = {})
{
    return lowered_text(module_of(instructions, before), options);
}

const Op* find_op(const model::OpGraph& graph, const std::string& name)
{
    for (const Op& op : graph.ops) {
        if (op.name.text() == name) {
            return &op;
        }
        const auto* repeat = std::get_if<model::Repeat>(&op.work);
        const Op* inside = repeat == nullptr ? nullptr : find_op(*repeat->body, name);
        if (inside != nullptr) {
            return inside;
        }
    }
    return nullptr;
}

const Op& op_named(const Lowered& program, const std::string& name)
{
    const Op* const op = find_op(*program.graph, name);
    if (op == nullptr) {
        throw std::logic_error("no op " + name);
    }
    return *op;
}

template <class Work>
const Work& work_named(const Lowered& program, const std::string& name)
{
    return std::get<Work>(op_named(program, name).work);
}

int place_of_op(const Lowered& program, const std::string& name)
{
    return static_cast<int>(&op_named(program, name) - program.graph->ops.data());
}

bool waits_for(const Lowered& program, const std::string& op, const std::string& before)
{
    const std::vector<int>& after = op_named(program, op).after;
    return std::find(after.begin(), after.end(), place_of_op(program, before)) != after.end();
}

std::int64_t bytes_of_uses(const std::vector<model::BufferUse>& uses)
{
    std::int64_t bytes = 0;
    for (const model::BufferUse& use : uses) {
        bytes += use.touched.count();
    }
    return bytes;
}

std::string refusal_of_lowering(const std::string& text, const LoweringOptions& options = {})
{
    try {
        lowered_text(text, options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Lowering, SynchronousInstructionsFollowEachOther)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[8192,128] parameter(0)
  %a = f32[8192,128] add(%p, %p)
  %b = f32[8192,128] multiply(%p, %p)
  ROOT %c = f32[8192,128] subtract(%p, %p)
)");
    ASSERT_EQ(program.graph->ops.size(), 3U);
    EXPECT_EQ(op_named(program, "a").after, std::vector<int>{});
    EXPECT_EQ(op_named(program, "b").after, std::vector<int>{0});
    EXPECT_EQ(op_named(program, "c").after, std::vector<int>{1});
}

const char* const copy_beside_compute = R"(
  %p = f32[8192,128]{1,0} parameter(0)
  %q = f32[8192,128]{1,0} parameter(1)
  %before = f32[8192,128]{1,0} add(%p, %p)
  %start = (f32[8192,128]{1,0:S(1)}, f32[8192,128]{1,0}, u32[]{:S(2)}) copy-start(%q)
  %meanwhile = f32[8192,128]{1,0} multiply(%before, %before)
  %end = f32[8192,128]{1,0:S(1)} copy-done(%start)
  ROOT %after = f32[8192,128]{1,0} subtract(%meanwhile, %end)
)";

TEST(Lowering, ACopyBeginsAtItsPlaceAndOnlyWhatStandsBehindItsEndWaits)
{
    const Lowered program = lowered_entry(copy_beside_compute);
    const auto& copy = work_named<model::Copy>(program, "start");
    EXPECT_EQ(copy.from, topologies::Tier::hbm);
    EXPECT_EQ(copy.to, topologies::Tier::vmem);
    EXPECT_EQ(copy.bytes, Bytes(8192 * 128 * 4));
    EXPECT_TRUE(waits_for(program, "start", "before"));
    EXPECT_FALSE(waits_for(program, "meanwhile", "start"));
    EXPECT_TRUE(waits_for(program, "after", "start"));
    EXPECT_TRUE(waits_for(program, "after", "meanwhile"));
}

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

TEST(Lowering, LoopsAreRepeatsWithAChainOfTheirOwn)
{
    const Lowered program = lowered_text(small_program);
    const auto& loop = work_named<model::Repeat>(program, "loop");
    EXPECT_EQ(loop.times, 3);
    ASSERT_EQ(loop.body->ops.size(), 2U); // counters are the scalar core's
    EXPECT_EQ(loop.body->ops[1].name.text(), "permute");
    EXPECT_EQ(loop.body->ops[1].after, std::vector<int>{0});
    EXPECT_TRUE(waits_for(program, "gather", "loop")); // marks are nothing
}

TEST(Lowering, WhatIsBegunBeforeALoopAndAwaitedBehindItRunsBeside)
{
    std::string text = small_program;
    const std::string loop = "  %loop =";
    text.insert(text.find(loop),
                "  %s = (bf16[128,128]{1,0:S(1)}, bf16[128,128]{1,0}, u32[]{:S(2)}) "
                "copy-start(%param.1)\n");
    const std::string result = "  %result =";
    std::string beside = text;
    beside.insert(beside.find(result), "  %d = bf16[128,128]{1,0:S(1)} copy-done(%s)\n");
    EXPECT_FALSE(waits_for(lowered_text(beside), "loop", "s"));
    EXPECT_TRUE(waits_for(lowered_text(beside), "gather", "s"));
    const Lowered stray = lowered_text(text); // nobody says where it ends
    EXPECT_TRUE(waits_for(stray, "loop", "s"));
    EXPECT_TRUE(std::any_of(stray.notes.begin(), stray.notes.end(), [](const std::string& note) {
        return note.find("border of a loop") != std::string::npos;
    }));
}

TEST(Lowering, GroupsAreAxesOfTheSliceWhereTheyAre)
{
    const topologies::Machine v5e = slice_of("tpu_v5e", "2x4", 8);
    const auto axes = [](const std::vector<std::vector<int>>& groups,
                         const topologies::Machine& machine) {
        const std::optional<GroupAxes> found = axes_of_groups(groups, machine);
        return found ? (found->axes.empty() ? "all" : join(found->axes)) +
                           (found->across_chips ? " across chips" : "")
                     : "none";
    };
    EXPECT_EQ(axes({{0, 1, 2, 3}, {4, 5, 6, 7}}, v5e), "y");
    EXPECT_EQ(axes({{4, 0}, {1, 5}, {2, 6}, {3, 7}}, v5e), "x");
    EXPECT_EQ(axes({{7, 6, 5, 4, 3, 2, 1, 0}}, v5e), "all");
    EXPECT_EQ(axes({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, v5e), "none");
    EXPECT_EQ(axes({{0, 1, 2, 3}}, v5e), "none");
    const topologies::Machine v3 = slice_of("tpu_v3", "2x2", 8); // two devices a chip
    EXPECT_EQ(axes({{0, 1, 2, 3, 4, 5, 6, 7}}, v3), "all");
    EXPECT_EQ(axes({{0, 2, 4, 6}, {1, 3, 5, 7}}, v3), "x, y across chips");
    EXPECT_EQ(axes({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, v3), "y across chips");
    EXPECT_EQ(axes({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, v3), "none");
}

TEST(Lowering, CollectivesOverlapAsTheTextHasThem)
{
    const Lowered program = lowered_entry(R"(
  %p = bf16[1024,128]{1,0} parameter(0)
  %sum = bf16[1024,128]{1,0} all-reduce(%p), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true, to_apply=%add
  %start = (bf16[1024,128]{1,0}, bf16[4096,128]{1,0}) all-gather-start(%sum), channel_id=2, replica_groups=[2,4]<=[8], dimensions={0}, use_global_device_ids=true
  %meanwhile = bf16[1024,128]{1,0} add(%sum, %sum)
  %done = bf16[4096,128]{1,0} all-gather-done(%start)
  ROOT %out = bf16[4096,128]{1,0} negate(%done)
)",
                                          add_computation);
    const auto& sum = work_named<model::Collective>(program, "sum");
    EXPECT_EQ(sum.overlap, model::Overlap::sync);
    EXPECT_EQ(sum.group, std::vector<std::string>{"y"});
    EXPECT_EQ(sum.dtype, model::DType::bf16);
    const auto& gather = work_named<model::Collective>(program, "start");
    EXPECT_EQ(gather.overlap, model::Overlap::async);
    EXPECT_EQ(gather.bytes, Bytes(4096 * 128 * 2));
    EXPECT_FALSE(waits_for(program, "meanwhile", "start"));
    EXPECT_TRUE(waits_for(program, "out", "start"));
}

/// A gather that a fusion begins, another carries beside its product, and a third ends.
TEST(Lowering, AnAsynchronousFusionIssuesItsCollectiveOnceAndRunsBesideWhatCarriesIt)
{
    const std::string gather =
        "all-gather(%p.N), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, dimensions={0}, "
        "use_global_device_ids=true";
    const auto numbered = [&](const std::string& number) {
        std::string text = gather;
        return text.replace(text.find('N'), 1, number);
    };
    const Lowered program =
        lowered_entry(R"(
  %p = bf16[256,128]{1,0:S(1)} parameter(0)
  %x = bf16[1024,128]{1,0} parameter(1)
  %w = bf16[128,128]{1,0} parameter(2)
  %begin = (bf16[256,128]{1,0:S(1)}, bf16[1024,128]{1,0}, u32[]{:S(2)}) fusion(%p), kind=kCustom, output_to_operand_aliasing={{0}: (0, {})}, calls=%begins
  %b0 = bf16[256,128]{1,0:S(1)} get-tuple-element(%begin), index=0
  %b1 = bf16[1024,128]{1,0} get-tuple-element(%begin), index=1
  %b2 = u32[]{:S(2)} get-tuple-element(%begin), index=2
  %carry = (bf16[1024,128]{1,0}, bf16[256,128]{1,0:S(1)}, bf16[1024,128]{1,0}, u32[]{:S(2)}) fusion(%b0, %b1, %b2, %x, %w), kind=kOutput, output_to_operand_aliasing={{1}: (0, {}), {2}: (1, {}), {3}: (2, {})}, calls=%async_collective_fusion.1
  %product = bf16[1024,128]{1,0} get-tuple-element(%carry), index=0
  %c1 = bf16[256,128]{1,0:S(1)} get-tuple-element(%carry), index=1
  %c2 = bf16[1024,128]{1,0} get-tuple-element(%carry), index=2
  %c3 = u32[]{:S(2)} get-tuple-element(%carry), index=3
  %between = bf16[1024,128]{1,0} negate(%product)
  %end = bf16[1024,128]{1,0} fusion(%c1, %c2, %c3), kind=kCustom, output_to_operand_aliasing={{}: (1, {})}, calls=%ends
  ROOT %out = bf16[1024,128]{1,0} add(%end, %between)
)",
                      R"(%begins (p.1: bf16[256,128]) -> (bf16[256,128], bf16[1024,128], u32[]) {
  %p.1 = bf16[256,128]{1,0:S(1)} parameter(0)
  %all-gather.1 = bf16[1024,128]{1,0} )" +
                          numbered("1") +
                          R"(
  ROOT %start.1 = (bf16[256,128]{1,0:S(1)}, bf16[1024,128]{1,0}, u32[]{:S(2)}) custom-call(%all-gather.1), custom_call_target="AsyncCollectiveStart"
}

%async_collective_fusion.1 (p.2: bf16[256,128]) -> (bf16[1024,128], bf16[256,128], bf16[1024,128], u32[]) {
  %p.2 = bf16[256,128]{1,0:S(1)} parameter(0)
  %g.2 = bf16[1024,128]{1,0} parameter(1)
  %s.2 = u32[]{:S(2)} parameter(2)
  %x.2 = bf16[1024,128]{1,0} parameter(3)
  %w.2 = bf16[128,128]{1,0} parameter(4)
  %dot.2 = bf16[1024,128]{1,0} convolution(%x.2, %w.2), dim_labels=bf_io->bf
  %all-gather.2 = bf16[1024,128]{1,0} )" +
                          numbered("2") +
                          R"(
  ROOT %t.2 = (bf16[1024,128]{1,0}, bf16[256,128]{1,0:S(1)}, bf16[1024,128]{1,0}, u32[]{:S(2)}) tuple(%dot.2, %p.2, %all-gather.2, %s.2)
}

%ends (p.3: bf16[256,128]) -> bf16[1024,128] {
  %p.3 = bf16[256,128]{1,0:S(1)} parameter(0)
  %g.3 = bf16[1024,128]{1,0} parameter(1)
  %s.3 = u32[]{:S(2)} parameter(2)
  %all-gather.3 = bf16[1024,128]{1,0} )" +
                          numbered("3") +
                          R"(
  ROOT %done.3 = bf16[1024,128]{1,0} custom-call(%p.3, %g.3, %all-gather.3, %s.3), custom_call_target="AsyncCollectiveDone"
}

)");
    ASSERT_EQ(program.graph->ops.size(), 4U); // one gather, and nothing for its end
    const auto& collective = work_named<model::Collective>(program, "begin");
    EXPECT_EQ(collective.overlap, model::Overlap::async);
    EXPECT_EQ(collective.bytes, Bytes(1024 * 128 * 2));
    EXPECT_EQ(op_named(program, "begin").reads.size(), 1U); // from VMEM
    EXPECT_TRUE(op_named(program, "begin").writes.empty()); // to HBM
    EXPECT_FALSE(waits_for(program, "carry", "begin"));
    EXPECT_EQ(bytes_of_uses(op_named(program, "carry").reads), (1024 + 128) * 128 * 2);
    EXPECT_EQ(bytes_of_uses(op_named(program, "carry").writes), 1024 * 128 * 2);
    EXPECT_FALSE(waits_for(program, "between", "begin"));
    EXPECT_TRUE(waits_for(program, "out", "begin"));
}

TEST(Lowering, PermutesBothWaysAreUnderWayAtOnce)
{
    const Lowered program = lowered_entry(R"(
  %p = bf16[4194304]{0} parameter(0)
  %right = (bf16[4194304]{0}, bf16[4194304]{0}, u32[]{:S(2)}, u32[]{:S(2)}) collective-permute-start(%p), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}
  %left = (bf16[4194304]{0}, bf16[4194304]{0}, u32[]{:S(2)}, u32[]{:S(2)}) collective-permute-start(%p), channel_id=2, source_target_pairs={{1,0},{2,1},{3,2}}
  %right.done = bf16[4194304]{0} collective-permute-done(%right)
  %left.done = bf16[4194304]{0} collective-permute-done(%left)
  ROOT %out = (bf16[4194304]{0}, bf16[4194304]{0}) tuple(%right.done, %left.done)
)");
    const auto& left = work_named<model::Collective>(program, "left");
    ASSERT_EQ(left.messages->size(), 3U);
    EXPECT_EQ(left.messages->front().source, 1);
    EXPECT_EQ(left.messages->front().destination, 0);
    EXPECT_EQ(left.messages->front().bytes, Bytes(8388608));
    const ProgramTimes times = times_of(program, slice_of("tpu_v5e", "2x4", 8));
    EXPECT_LT(times.step_seconds, 1.1 * times.ops.front().seconds);
}

const char* const scatter_fusion =
    R"(%scatter (p: bf16[4096,128]) -> bf16[1024,128] {
  %p.1 = bf16[4096,128]{1,0} parameter(0)
  %i.1 = s32[] parameter(1)
  %sum.1 = bf16[4096,128]{1,0} all-reduce(%p.1), channel_id=1, replica_groups=GROUPS, use_global_device_ids=true, to_apply=%add
  %zero.1 = s32[] constant(0)
  ROOT %part = bf16[1024,128]{1,0} dynamic-slice(%sum.1, %i.1, %zero.1), dynamic_slice_sizes={1024,128}
}

)";

TEST(Lowering, AFusionOfAllReduceAndSliceIsAReduceScatter)
{
    std::string before = add_computation + scatter_fusion;
    before.replace(before.find("GROUPS"), 6, "{{0,1,2,3},{4,5,6,7}}");
    const Lowered program = lowered_entry(R"(
  %p = bf16[4096,128]{1,0} parameter(0)
  %i = s32[] parameter(1)
  ROOT %rs = bf16[1024,128]{1,0} fusion(%p, %i), kind=kCustom, calls=%scatter
)",
                                          before);
    const auto& collective = work_named<model::Collective>(program, "rs");
    EXPECT_EQ(collective.kind, model::CollectiveKind::reduce_scatter);
    EXPECT_EQ(collective.bytes, Bytes(4096 * 128 * 2));
    EXPECT_EQ(program.graph->ops.size(), 1U);
}

/// Measured groups run along the axes that they are, not in the order in which they are listed:
/// 128 MiB over x and y of 2x2x4 take 663 us, and 1,319 as listed.
TEST(Lowering, ReduceScatterOfARectangleH12)
{
    const std::string text = "HloModule test, is_scheduled=true, num_partitions=16\n\n" +
                             add_computation +
                             R"(ENTRY %main {
  %p = bf16[16384,4096]{1,0} parameter(0)
  ROOT %rs = bf16[4096,4096]{1,0} reduce-scatter(%p), channel_id=1, replica_groups={{0,4,8,12},{1,5,9,13},{2,6,10,14},{3,7,11,15}}, dimensions={0}, use_global_device_ids=true, to_apply=%add
}
)";
    topologies::SliceRequest request;
    request.cores = 32;
    request.shape = "2x2x4";
    request.wrap = std::vector<bool>{false, false, false};
    const topologies::Machine machine =
        topologies::make_machine(topologies::Preset::load("tpu_v5p"), request);
    const Lowered program = lowered_text(text, {}, machine);
    EXPECT_NEAR(times_of(program, machine).ops.front().seconds, 663e-6, 7e-6);
}

TEST(Lowering, TransfersBetweenSlicesGoAlongDcn)
{
    const std::string attributes =
        R"(, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="xla_megascale_runtime",_xla_host_transfer_rendezvous="r",_xla_megascale_target="{1,2}x{0:3}",_xla_megascale_transfer_type="ALL_REDUCE"})";
    const std::string text = module_of(R"(
  %p = f32[1024,128]{1,0} parameter(0)
  %t = token[] after-all()
  %send = (f32[1024,128]{1,0}, u32[]{:S(2)}, token[]) send(%p, %t), channel_id=2)" +
                                       attributes + R"(
  %recv = (f32[1024,128]{1,0}, u32[]{:S(2)}, token[]) recv(%t), channel_id=1)" +
                                       attributes + R"(
  %meanwhile = f32[1024,128]{1,0} add(%p, %p)
  %sent = token[] send-done(%send), channel_id=2, is_host_transfer=true
  %got = (f32[1024,128]{1,0}, token[]) recv-done(%recv), channel_id=1, is_host_transfer=true
  %sum = f32[1024,128]{1,0} get-tuple-element(%got), index=0
  ROOT %out = f32[1024,128]{1,0} multiply(%sum, %meanwhile)
)");
    const Lowered program = lowered_text(text, {}, slice_of("tpu_v5e", "2x2", 8, 2));
    const auto& collective = work_named<model::Collective>(program, "send");
    EXPECT_EQ(collective.kind, model::CollectiveKind::all_reduce);
    EXPECT_EQ(collective.group, std::vector<std::string>{"dcn"});
    EXPECT_EQ(collective.bytes, Bytes(1024 * 128 * 4));
    EXPECT_FALSE(waits_for(program, "meanwhile", "send"));
    EXPECT_TRUE(waits_for(program, "out", "send"));
    EXPECT_EQ(program.graph->ops.size(), 3U);
}

TEST(Lowering, CopiesToTheHostGoOverPcie)
{
    const Lowered program = lowered_entry(R"(
  %p = f32[1024,128]{1,0} parameter(0)
  %out = (f32[1024,128]{1,0:S(5)}, f32[1024,128]{1,0}, u32[]{:S(2)}) copy-start(%p)
  %there = f32[1024,128]{1,0:S(5)} copy-done(%out)
  %in = (f32[1024,128]{1,0}, f32[1024,128]{1,0:S(5)}, u32[]{:S(2)}) copy-start(%there)
  ROOT %back = f32[1024,128]{1,0} copy-done(%in)
)");
    EXPECT_EQ(work_named<model::Copy>(program, "out").to, topologies::Tier::host);
    EXPECT_EQ(work_named<model::Copy>(program, "in").from, topologies::Tier::host);
    EXPECT_TRUE(waits_for(program, "in", "out"));
    EXPECT_EQ(op_named(program, "in").reads.front().buffer.text(), "host"); // no infeed
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
    options.assumed_seconds = {{"flash_fwd", 2e-3}};
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
