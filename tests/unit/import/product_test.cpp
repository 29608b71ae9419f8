// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/product.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

Product product_in(const std::string& left, const std::string& right, const std::string& result,
                   const std::string& attributes, const std::string& opcode = "convolution")
{
    const Module module =
        read_hlo_text(module_of("  %x = " + left + " parameter(0)\n  %y = " + right +
                                " parameter(1)\n  ROOT %c = " + result + " " + opcode +
                                "(%x, %y), " + attributes + "\n"),
                      "a.hlo");
    return product_of(module, module.entry_computation(), instruction_named(module, "c"));
}

void expect_sizes(const Product& found, std::int64_t batches, std::int64_t m, std::int64_t k,
                  std::int64_t n)
{
    EXPECT_EQ(found.batches, batches);
    EXPECT_EQ(found.m, m);
    EXPECT_EQ(found.k, k);
    EXPECT_EQ(found.n, n);
    EXPECT_EQ(found.flops, 2 * batches * m * k * n);
}

TEST(HloProduct, OfAConvolutionWithoutSpaceIsAMatrixProduct)
{
    expect_sizes(
        product_in("bf16[512,1024]", "bf16[1024,4096]", "bf16[512,4096]", "dim_labels=bf_io->bf"),
        1, 512, 1024, 4096);
    expect_sizes(
        product_in("bf16[1024,512]", "bf16[4096,1024]", "bf16[512,4096]", "dim_labels=fb_oi->bf"),
        1, 512, 1024, 4096);
}

TEST(HloProduct, WithPairsWindowAndOutputAlikeIsBatched)
{
    // Each of 16 heads meets itself alone: dilated by 1, padded by 15 on both sides, reversed.
    expect_sizes(product_in("bf16[16,128,64]", "bf16[16,64,256]", "bf16[16,128,256]",
                            "window={size=16 stride=15 pad=0_0 lhs_dilate=16}, "
                            "dim_labels=0bf_0io->0bf"),
                 16, 128, 64, 256);
}

TEST(HloProduct, WhatAllOfTheRightOperandMeetsIsOneProductOfMoreColumns)
{
    // 16 heads' weights for the same input: the window slides over one element, padded by 15.
    expect_sizes(product_in("bf16[1,512,64]", "bf16[16,64,256]", "bf16[16,512,256]",
                            "window={size=16 pad=15_15 rhs_reversal=1}, dim_labels=0bf_0io->0bf"),
                 1, 512, 64, 16 * 256);
}

TEST(HloProduct, SumsOverAWindowThatIsNotMoved)
{
    expect_sizes(product_in("bf16[8,32,64]", "bf16[8,64,128]", "bf16[32,128,1]",
                            "window={size=8}, dim_labels=0bf_0io->bf0"),
                 1, 32, 8 * 64, 128);
}

TEST(HloProduct, CountsNoMultiplicationOnPadding)
{
    // 3 x 3 over 4 x 4 with padding 1: each axis has 2 + 3 + 3 + 2 pairs.
    const Product found = product_in("f32[2,4,4,8]", "f32[3,3,8,16]", "f32[2,4,4,16]",
                                     "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
    EXPECT_EQ(found.flops, 2 * 2 * 8 * 16 * 10 * 10);
}

TEST(HloProduct, CountsStridesAndDilations)
{
    EXPECT_EQ(product_in("f32[1,8,1]", "f32[2,1,1]", "f32[1,4,1]",
                         "window={size=2 stride=2}, dim_labels=b0f_0io->b0f")
                  .flops,
              2 * 8);
    // 4 elements with a hole behind each: a window of 1 at 7 places falls on 4.
    EXPECT_EQ(product_in("f32[1,4,1]", "f32[1,1,1]", "f32[1,7,1]",
                         "window={size=1 lhs_dilate=2}, dim_labels=b0f_0io->b0f")
                  .flops,
              2 * 4);
    // A window of 2 that is 3 apart over 8 elements: 5 places, 2 each.
    EXPECT_EQ(product_in("f32[1,8,1]", "f32[2,1,1]", "f32[1,5,1]",
                         "window={size=2 rhs_dilate=3}, dim_labels=b0f_0io->b0f")
                  .flops,
              2 * 10);
}

TEST(HloProduct, DividesBatchesAmongTheirGroups)
{
    EXPECT_EQ(product_in("f32[8,16]", "f32[16,32]", "f32[2,32]",
                         "batch_group_count=4, dim_labels=bf_io->bf")
                  .flops,
              2 * 2 * 16 * 32);
}

TEST(HloProduct, OfADotHasItsContractedAndBatchDimensions)
{
    expect_sizes(product_in("f32[4,8,16]", "f32[4,16,32]", "f32[4,8,32]",
                            "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
                            "rhs_contracting_dims={1}",
                            "dot"),
                 4, 8, 16, 32);
}

TEST(HloProduct, OfHighPrecisionTakesSixPassesOrThreeH7)
{
    const auto passes = [](const std::string& precision) {
        return product_in("f32[8,16]", "f32[16,32]", "f32[8,32]",
                          precision + "dim_labels=bf_io->bf")
            .passes;
    };
    EXPECT_EQ(passes("operand_precision={highest,highest}, "), 6);
    EXPECT_EQ(passes("operand_precision={high,high}, "), 3);
    EXPECT_EQ(passes(""), 1);
}

TEST(HloProduct, ThatDoesNotFitIsRefused)
{
    const auto refused = [](const std::string& attributes) {
        EXPECT_THROW(product_in("f32[1,8,1]", "f32[2,1,1]", "f32[1,7,1]", attributes), InputError)
            << attributes;
    };
    refused("window={size=2}");
    refused("window={size=2}, dim_labels=b0_0io->b0f");
    refused("window={size=3}, dim_labels=b0f_0io->b0f");
    refused("window={size=2x2}, dim_labels=b0f_0io->b0f");
    refused("window={size=2 stride=0}, dim_labels=b0f_0io->b0f");
    refused("window={size=99999999999}, dim_labels=b0f_0io->b0f");
}

} // namespace
} // namespace alxsim::hlo
