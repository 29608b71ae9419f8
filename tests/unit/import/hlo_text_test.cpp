// SPDX-License-Identifier: Apache-2.0
#include "tests/temporary_folder.h"
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/accounts.h"

#include <gtest/gtest.h>

#include <chrono>

namespace alxsim::hlo {
namespace {

TEST(HloText, IsReadIntoComputationsAndInstructions)
{
    const Module module = read_hlo_text(small_program, "a.hlo");
    EXPECT_EQ(module.name, "jit_step");
    EXPECT_EQ(module.num_partitions(), 8);
    EXPECT_TRUE(module.is_scheduled());
    ASSERT_EQ(module.computations.size(), 4U);
    const Computation& entry = module.entry_computation();
    EXPECT_EQ(entry.name, "main");
    EXPECT_EQ(entry.root_instruction().name, "out");
    EXPECT_EQ(entry.parameters, (std::vector<int>{0, 1}));
    const Instruction& loop = instruction_named(module, "loop");
    EXPECT_EQ(module.computations[static_cast<std::size_t>(loop.called_as("body"))].name, "body");
    EXPECT_EQ(entry.operand(loop, 0).name, "init");
    EXPECT_EQ(instruction_named(module, "limit").arguments, "3");
}

TEST(HloText, SaysWhereAnInstructionComesFrom)
{
    const Module module = read_hlo_text(small_program, "a.hlo");
    const Origin origin = origin_of(module, instruction_named(module, "dot"));
    EXPECT_EQ(origin.op_name, "jit(step)/jvp()/dot_general");
    ASSERT_EQ(origin.stack_frame, 2);
    EXPECT_EQ(module.stack_frames[1].caller, 1); // parent_frame_id 2
    EXPECT_EQ(module.stack_frames[0].caller, 0);
    EXPECT_EQ(module.file_locations[0].line, 7);
    EXPECT_EQ(module.file_names[0], "step.py");
}

TEST(HloText, KeepsACommaBeforeDeviceIdsInTheAttribute)
{
    const Module module = read_hlo_text(small_program, "a.hlo");
    const Instruction& gather = instruction_named(module, "gather");
    EXPECT_EQ(gather.attribute("replica_groups"),
              "mesh['a'=4,'b'=2], device_ids=([2,4]T(1,0)) {'a','b'}");
    EXPECT_EQ(gather.attribute("dimensions"), "{0}");
}

TEST(HloText, GoesOnOverLinesUntilBracesAndQuotesAreClosed)
{
    const Module module = read_hlo_text(small_program, "a.hlo");
    EXPECT_NE(instruction_named(module, "mark").attribute("frontend_attributes").find("mesh_axes"),
              std::string_view::npos);
    const Module two =
        read_hlo_text(module_of("  p = f32[2] parameter(0)\n  ROOT c = f32[2] custom-call(p), "
                                "custom_call_target=\"a, \\\"b\\\" }\n{\", opaque=\"x\"\n"),
                      "a.hlo");
    EXPECT_EQ(instruction_named(two, "c").attribute("opaque"), "\"x\"");
}

TEST(HloText, MayHaveShapesBeforeOperandsAndNoSigns)
{
    const Module module = read_hlo_text(
        module_of("  p = f32[2]{0} parameter(0)\n  t = (f32[2]{0}, f32[2]{0}) tuple(f32[2]{0} p, "
                  "f32[2]{0} %p)\n  ROOT g = f32[2]{0} get-tuple-element((f32[2]{0}, f32[2]{0}) "
                  "t), index=1\n"),
        "a.hlo");
    EXPECT_EQ(instruction_named(module, "t").operands, (std::vector<int>{0, 0}));
}

TEST(HloText, NamesTheThreadOfAComputation)
{
    const Module module = read_hlo_text(
        "HloModule m\n%side {\n  ROOT %p = f32[] parameter(0)\n}, "
        "execution_thread=\"sparsecore\"\nENTRY %e {\n  ROOT %p = f32[] parameter(0)\n}\n",
        "a.hlo");
    EXPECT_EQ(module.computations[0].execution_thread, "sparsecore");
    EXPECT_EQ(module.computations[1].execution_thread, "");
}

TEST(HloText, CutAnywhereIsRefusedWithLineAndColumn)
{
    const std::size_t last = small_program.rfind('}');
    for (std::size_t size = 0; size <= last; ++size) {
        const std::string refusal = refusal_of(small_program.substr(0, size));
        EXPECT_EQ(refusal.rfind("a.hlo: line ", 0), 0U) << size << ": " << refusal;
        EXPECT_NE(refusal.find(", column "), std::string::npos) << size << ": " << refusal;
    }
    EXPECT_EQ(refusal_of(small_program.substr(0, last + 1)), "no error");
}

TEST(HloText, ChangedByChanceIsCountedOrRefused)
{
    std::uint64_t state = 1;
    const auto random = [&state](std::size_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::size_t>(state >> 33U) % below;
    };
    const std::string letters = "0123456789{}[](),=%\"'/*-<>: \nabcxyzT";
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string text = small_program;
        for (std::size_t changes = 1 + random(3); changes > 0; --changes) {
            const std::size_t at = random(text.size());
            switch (random(4)) {
            case 0:
                text.erase(at, 1 + random(20));
                break;
            case 1:
                text.insert(at, text.substr(random(text.size()), random(40)));
                break;
            default:
                text[at] = letters[random(letters.size())];
            }
        }
        try {
            to_json(accounts_of(read_hlo_text(text, "a.hlo")));
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).rfind("a.hlo: ", 0), 0U) << error.what();
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_LT(refused, 3000);
}

TEST(HloText, OfOtherFormatsIsRefusedByName)
{
    const std::string mlir = refusal_of("module @jit_step attributes {mhlo.num_partitions = 8 : "
                                        "i32} {\n  func.func public @main\n}\n");
    EXPECT_NE(mlir.find("found StableHLO (MLIR)"), std::string::npos);
    EXPECT_NE(mlir.find("pip install \"jax[tpu]\"\n"), std::string::npos);
    EXPECT_NE(mlir.find("alxsim-dump-hlo TOPOLOGY FILE.py:FUNCTION"), std::string::npos);
    EXPECT_NE(refusal_of("ML\xefR\x01").find("StableHLO"), std::string::npos);
    EXPECT_NE(refusal_of(std::string("\x0a\x05main\x12\x00", 9)).find("protobuf"),
              std::string::npos);
    EXPECT_NE(refusal_of("{\"ops\": []}").find("found JSON"), std::string::npos);
    EXPECT_NE(refusal_of("hello").find("which begins with HloModule"), std::string::npos);
    EXPECT_NE(refusal_of("").find("found the end of the text"), std::string::npos);
}

TEST(HloText, RefusedSaysWhatIsAllowedThere)
{
    const auto refused = [](const std::string& instructions, const std::string& allowed) {
        const std::string refusal = refusal_of(module_of(instructions));
        EXPECT_NE(refusal.find(allowed), std::string::npos) << refusal;
    };
    refused("  %p = f32[2] parameter(0)\n  ROOT %s = f32[2] add(%p, %q)\n",
            "line 5, column 28: found '%q)'; allowed: the name of an instruction above");
    refused("  ROOT %s = f32[2] add(%p)\n", "the name of an instruction above");
    refused("  %p = f32[2] parameter(0)\n  %p = f32[2] parameter(1)\n",
            "a name that no instruction");
    refused("  ROOT %p = f32[2] parameter(0)\n  ROOT %q = f32[2] parameter(1)\n", "one ROOT");
    refused("", "an instruction before '}'");
    refused("  %p = f32[2] parameter(1)\n", "allowed: from 0, each number once");
    refused("  %p = f32[2] parameter(0)\n  %f = f32[2] fusion(%p), calls=%none\n",
            "the name of a computation above");
    refused("  %p = f32[2] parameter(0)\n  %g = f32[2] get-tuple-element(%p), index=0\n",
            "allowed: 0 to -1, the elements of its operand");
    refused("  %p = f32[2] parameter(0)\n  %d = f32[] dot(%p)\n",
            "dot 'd': found 1 operands; allowed: at least 2");
    refused("  %p = f32[2] parameter(0)\n  %w = f32[2] while(%p)\n", "found no body");
    refused("  %p = f32[2] parameter(0), a={(}\n", "allowed: ')'");
    refused("  %p = f32[2] parameter(0) x\n", "allowed: the end of the line");
}

TEST(HloText, NeedsOneEntry)
{
    EXPECT_NE(refusal_of("HloModule m\n%c {\n  %p = f32[] parameter(0)\n}\n").find("ENTRY"),
              std::string::npos);
    const std::string entry = "ENTRY %e {\n  %p = f32[] parameter(0)\n}\n";
    EXPECT_NE(refusal_of("HloModule m\n" + entry + entry).find("one ENTRY"), std::string::npos);
}

TEST(HloText, TablesMustFit)
{
    const auto with = [](const std::string& tables) {
        return refusal_of("HloModule m\n\n" + tables +
                          "\nENTRY %e {\n  ROOT %p = f32[] parameter(0)\n}\n");
    };
    EXPECT_EQ(with("FileNames\n1 \"a\"\n\nFileLocations\n1 {file_name_id=1 line=3}\n"), "no error");
    EXPECT_NE(with("FileNames\n2 \"a\"\n").find("allowed: 1, the next number"), std::string::npos);
    EXPECT_NE(with("FileLocations\n1 {file_name_id=1}\n").find("allowed: 0 to 0"),
              std::string::npos);
    EXPECT_NE(with("FileLocations\n1 {row=1}\n").find("allowed: file_name_id, "),
              std::string::npos);
    EXPECT_NE(with("StackFrames\n1 {file_location_id=0 parent_frame_id=3}\n").find("found 3"),
              std::string::npos);
}

TEST(HloText, IsReadFromAFile)
{
    const TemporaryFolder folder;
    EXPECT_EQ(read_hlo_file(folder.write("step.hlo.txt", small_program)).name, "jit_step");
    EXPECT_THROW(read_hlo_file(folder.path("none.hlo.txt")), InputError);
}

/// 100,000 instructions in 10 MB, of which a million must take less than 30 s.
TEST(HloText, TakesTimeInProportionToItsLength)
{
    std::string instructions = "  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n";
    std::string last = "p";
    for (int i = 0; i < 100000; ++i) {
        const std::string name = "add." + std::to_string(i);
        instructions += "  %" + name + " = f32[8,128]{1,0:T(8,128)} add(%" + last +
                        ", %p), metadata={op_name=\"jit(step)/add\"}\n";
        last = name;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Accounts accounts = accounts_of(read_hlo_text(module_of(instructions), "a.hlo"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
    EXPECT_EQ(accounts.total.flops, 100000 * 8 * 128);
}

} // namespace
} // namespace alxsim::hlo
