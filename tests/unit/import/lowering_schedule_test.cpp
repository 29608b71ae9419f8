// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/lowered_texts.h"
#include "workloads/import/hlo/lowering/collective_lowering.h"
#include "workloads/import/hlo/lowering/op_times.h"

#include <gtest/gtest.h>

/// In which order and on what compiled programs run: schedules, loops, collectives, hosts.
namespace alxsim::hlo {
namespace {

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

} // namespace
} // namespace alxsim::hlo
