// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/lowered_texts.h"
#include "workloads/import/hlo/attention.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

/// Grouped queries: 8 heads attend to 2 of keys and values.
const std::string heads = R"(
  %q = bf16[2,8,1024,128]{3,2,1,0} parameter(0)
  %k = bf16[2,2,1024,128]{3,2,1,0} parameter(1)
  %v = bf16[2,2,1024,128]{3,2,1,0} parameter(2)
  %ids = s32[2,8,1024]{2,1,0} parameter(3)
)";
const std::string backward = heads + R"(
  %lse = f32[2,8,8,1024]{3,2,1,0} parameter(4)
  %do = bf16[2,8,1024,128]{3,2,1,0} parameter(5)
)";

std::string kernel(const std::string& results, const std::string& operands)
{
    return "  ROOT %kernel = " + results + " custom-call(" + operands +
           "), custom_call_target=\"tpu_custom_call\", metadata={op_name=\"jit(f)/mine\"}\n";
}

/// scores x size x 2 operations of one product, all positions.
constexpr double one_product = 2.0 * 2 * 8 * 1024 * 1024 * 128;

model::Custom work_of(const std::string& text, const char* assumption)
{
    LoweringOptions options;
    options.assumed = {{"mine", assumption_of(assumption, "test", "/assume")}};
    return work_named<model::Custom>(lowered_text(module_of(text), options), "kernel");
}

TEST(Attention, ForwardIsTwoProductsOfHalfTheScores)
{
    const std::string text =
        heads +
        kernel("(f32[2,128,128], bf16[2,8,1024,128], f32[2,8,1024,128])", "%q, %k, %v, %ids");
    const model::Custom causal = work_of(text, "attention");
    EXPECT_EQ(causal.flops, 2 * one_product / 2);
    EXPECT_EQ(causal.transcendentals, 2.0 * 8 * 1024 * 1024 / 2);
    EXPECT_TRUE(causal.attention);
    EXPECT_EQ(work_of(text, "attention_of_all").flops, 2 * one_product);
}

TEST(Attention, BackwardIsAsManyProductsMoreAsThereAreGradients)
{
    const std::string to_queries =
        backward + kernel("(f32[2,128,128], bf16[2,8,1024,128])", "%q, %k, %v, %ids, %lse, %do");
    EXPECT_EQ(work_of(to_queries, "attention").flops, 3 * one_product / 2);
    const std::string to_keys = backward + kernel("(bf16[2,2,1024,128], bf16[2,2,1024,128])",
                                                  "%q, %k, %v, %ids, %lse, %do");
    EXPECT_EQ(work_of(to_keys, "attention").flops, 4 * one_product / 2);
    // The gradient of queries in parts, one for each block of keys.
    const std::string to_all =
        backward + kernel("(bf16[2,4,8,1024,128], bf16[2,2,1024,128], bf16[2,2,1024,128])",
                          "%q, %k, %v, %ids, %lse, %do");
    EXPECT_EQ(work_of(to_all, "attention").flops, 5 * one_product / 2);
}

TEST(Attention, MovesItsOperandsAndResults)
{
    const std::string text = heads + kernel("bf16[2,8,1024,128]{3,2,1,0}", "%q, %k, %v, %ids");
    LoweringOptions options;
    options.assumed = {{"mine", assumption_of("attention", "test", "/assume")}};
    const Lowered program = lowered_text(module_of(text), options);
    const std::int64_t queries = 2 * 8 * 1024 * 128 * 2;
    EXPECT_EQ(bytes_of_uses(op_named(program, "kernel").reads),
              queries + 2 * queries / 4 + 2 * 8 * 1024 * 4);
    EXPECT_EQ(bytes_of_uses(op_named(program, "kernel").writes), queries);
    EXPECT_TRUE(program.origins.at("kernel").assumed);
}

TEST(Attention, IsOfferedWhereShapesFitAndRefusedWhereTheyDoNot)
{
    const std::string fits = heads + kernel("bf16[2,8,1024,128]", "%q, %k, %v, %ids");
    EXPECT_NE(refusal_of_lowering(module_of(fits)).find("NAME=attention"), std::string::npos);
    const std::string other = heads + kernel("bf16[2,8,1024,128]", "%q, %ids");
    EXPECT_EQ(refusal_of_lowering(module_of(other)).find("NAME=attention"), std::string::npos);
    try {
        work_of(other, "attention");
        FAIL() << "not refused";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("queries, keys and values"), std::string::npos)
            << error.what();
    }
}

TEST(Attention, AssumptionsAreSecondsOrWords)
{
    EXPECT_EQ(assumption_of(2e-3, "study.json", "/x").seconds, 2e-3);
    for (const Json& wrong : {Json(-1), Json("flash"), Json::array()}) {
        EXPECT_THROW(assumption_of(wrong, "study.json", "/x"), InputError) << wrong;
    }
}

} // namespace
} // namespace alxsim::hlo
