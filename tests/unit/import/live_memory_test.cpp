// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/live_memory.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

constexpr std::int64_t kib = 1024; ///< of f32[256] below

LiveMemory memory_of(const std::string& instructions, const std::string& before = "",
                     const std::string& config = "")
{
    return live_memory(read_hlo_text("HloModule m, is_scheduled=true" + config + "\n" + before +
                                         "ENTRY %main {\n" + instructions + "}\n",
                                     "a.hlo"));
}

TEST(LiveMemory, HoldsArgumentsAndWhatIsStillRead)
{
    const LiveMemory memory = memory_of("  %p = f32[256] parameter(0)\n"
                                        "  %a = f32[256] negate(%p)\n"
                                        "  %b = f32[256] negate(%a)\n"
                                        "  %c = f32[256] negate(%b)\n"
                                        "  ROOT %d = f32[256] add(%a, %c)\n");
    EXPECT_EQ(memory.arguments_bytes, kib);
    EXPECT_EQ(memory.peak_bytes, 4 * kib); // p, a, b, c; then p, a, c, d
}

TEST(LiveMemory, PassesOnWhatIsOnlyRenamed)
{
    EXPECT_EQ(memory_of("  %p = f32[256] parameter(0)\n  %a = f32[256] negate(%p)\n"
                        "  %b = f32[16,16] bitcast(%a)\n  %t = (f32[16,16]) tuple(%b)\n"
                        "  ROOT %g = f32[16,16] get-tuple-element(%t), index=0\n")
                  .peak_bytes,
              2 * kib);
}

TEST(LiveMemory, CountsPaddingAndOnlyHbm)
{
    const LiveMemory memory = memory_of("  %p = f32[3,100]{1,0:T(8,128)} parameter(0)\n"
                                        "  ROOT %v = f32[256]{0:S(1)} custom-call(%p), "
                                        "custom_call_target=\"x\"\n");
    EXPECT_EQ(memory.peak_bytes, 4 * kib);
    EXPECT_EQ(memory.xla_peak_bytes, 5 * kib);
}

TEST(LiveMemory, UpdatesInPlace)
{
    const std::string update = "  %p = f32[256] parameter(0)\n  %a = f32[256] negate(%p)\n"
                               "  %u = f32[8] constant({1,2,3,4,5,6,7,8})\n"
                               "  %i = s32[] constant(0)\n";
    EXPECT_EQ(
        memory_of(update + "  ROOT %d = f32[256] dynamic-update-slice(%a, %u, %i)\n").peak_bytes,
        2 * kib);
    EXPECT_EQ(memory_of(update + "  ROOT %d = f32[256] fusion(%a, %u, %i), kind=kLoop, calls=%f\n",
                        "%f {\n  %x = f32[256] parameter(0)\n  %y = f32[8] parameter(1)\n"
                        "  %z = s32[] parameter(2)\n"
                        "  ROOT %d = f32[256] dynamic-update-slice(%x, %y, %z)\n}\n")
                  .peak_bytes,
              2 * kib);
}

const std::string offered_fusion =
    "  %b = f32[256] fusion(%a), kind=kLoop, calls=%f, "
    "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"1\"]}]}}\n";
const std::string negation =
    "%f {\n  %x = f32[256] parameter(0)\n  ROOT %y = f32[256] negate(%x)\n}\n";

TEST(LiveMemory, TakesAnOfferedPlaceWhereNothingElseReadsIt)
{
    const std::string begin = "  %p = f32[256] parameter(0)\n  %a = f32[256] negate(%p)\n";
    EXPECT_EQ(memory_of(begin + offered_fusion + "  ROOT %r = f32[256] negate(%b)\n", negation)
                  .peak_bytes,
              3 * kib);
    EXPECT_EQ(memory_of(begin + offered_fusion + "  ROOT %r = f32[256] add(%a, %b)\n", negation)
                  .peak_bytes,
              4 * kib);
}

TEST(LiveMemory, PutsADonatedOutputIntoItsArgument)
{
    const std::string step = "  %p = f32[256] parameter(0)\n  ROOT %a = f32[256] negate(%p)\n";
    EXPECT_EQ(memory_of(step).peak_bytes, 2 * kib);
    const LiveMemory donated =
        memory_of(step, "", ", input_output_alias={ {}: (0, {}, may-alias) }");
    EXPECT_EQ(donated.peak_bytes, kib);
    EXPECT_EQ(donated.xla_peak_bytes, kib);
}

TEST(LiveMemory, ReusesADonatedArgumentFromItsLastReaderToItsOutput)
{
    const std::string step = "  %p = f32[256] parameter(0)\n  %a = f32[256]{0:S(1)} negate(%p)\n"
                             "  %b = f32[256] negate(%a)\n  %c = f32[256]{0:S(1)} negate(%b)\n"
                             "  ROOT %d = f32[256] negate(%c)\n";
    EXPECT_EQ(memory_of(step, "", ", input_output_alias={ {}: (0, {}, may-alias) }").peak_bytes,
              kib); // b stands where p was
    EXPECT_EQ(memory_of(step).peak_bytes, 2 * kib);
}

TEST(LiveMemory, LeavesWhatABranchGivesBackWhereItIs)
{
    EXPECT_EQ(memory_of("  %p = f32[256] parameter(0)\n  %w = s32[] constant(0)\n"
                        "  %a = f32[256] negate(%p)\n"
                        "  ROOT %c = f32[256] conditional(%w, %a, %p), "
                        "branch_computations={%same, %other}\n",
                        "%same {\n  ROOT %x = f32[256] parameter(0)\n}\n"
                        "%other {\n  %x = f32[256] parameter(0)\n  ROOT %y = f32[256] negate(%x)\n"
                        "}\n")
                  .peak_bytes,
              2 * kib);
}

TEST(LiveMemory, HoldsALoopsStateOnceAndWhatItsBodyNeedsWhileItRuns)
{
    const std::string loop =
        "%cond {\n  %s = (f32[256]) parameter(0)\n  ROOT %c = pred[] constant(false)\n}\n"
        "%body {\n  %s = (f32[256]) parameter(0)\n  %x = f32[256] get-tuple-element(%s), index=0\n"
        "  %y = f32[512] concatenate(%x, %x), dimensions={0}\n"
        "  %z = f32[256] slice(%y), slice={[0:256]}\n  ROOT %t = (f32[256]) tuple(%z)\n}\n";
    EXPECT_EQ(memory_of("  %p = f32[256] parameter(0)\n  %a = f32[256] negate(%p)\n"
                        "  %i = (f32[256]) tuple(%a)\n"
                        "  %w = (f32[256]) while(%i), condition=%cond, body=%body\n"
                        "  ROOT %g = f32[256] get-tuple-element(%w), index=0\n",
                        loop)
                  .peak_bytes,
              4 * kib); // the argument, the state, 2 KiB in the body
}

TEST(LiveMemory, OfAsynchronousWorkLivesFromItsBeginToItsLastReader)
{
    const LiveMemory memory =
        memory_of("  %p = f32[256] parameter(0)\n"
                  "  %s = (f32[256], f32[256], u32[]{:S(2)}) copy-start(%p)\n"
                  "  %x = f32[256] negate(%p)\n  %d = f32[256] copy-done(%s)\n"
                  "  ROOT %r = f32[256] add(%x, %d)\n");
    EXPECT_EQ(memory.peak_bytes, 4 * kib); // p, the copy, x, r
}

} // namespace
} // namespace alxsim::hlo
