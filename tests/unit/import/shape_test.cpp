// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "workloads/import/hlo/text/shape_reader.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

std::string shape_error(const std::string& text)
{
    try {
        shape_of(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(HloShape, HasItsTypeDimensionsAndLayout)
{
    const Shape shape = shape_of("bf16[512,1024]{1,0:T(8,128)(2,1)S(1)}");
    EXPECT_EQ(shape.dtype, DType::bf16);
    EXPECT_EQ(shape.dims, (std::vector<std::int64_t>{512, 1024}));
    EXPECT_EQ(shape.minor_to_major, (std::vector<int>{1, 0}));
    EXPECT_EQ(shape.tiles, (std::vector<std::vector<std::int64_t>>{{8, 128}, {2, 1}}));
    EXPECT_EQ(shape.memory_space, space::vmem);
}

TEST(HloShape, TakesFieldsOfALayoutInAnyOrder)
{
    const Shape shape = shape_of("s4[64,128]{1,0:E(4)S(5)SC(0:4096)T(64,128)}");
    EXPECT_EQ(shape.memory_space, space::host);
    EXPECT_EQ(shape.tiles.front(), (std::vector<std::int64_t>{64, 128}));
}

TEST(HloShape, MayHaveTilesWithoutAnOrder)
{
    EXPECT_EQ(padded_bytes(shape_of("s32[]{:T(128)}")), 512);
    EXPECT_EQ(unpadded_bytes(shape_of("s32[]{:T(128)}")), 4);
}

TEST(HloShape, IsPaddedToItsFirstTile)
{
    EXPECT_EQ(padded_bytes(shape_of("f32[3,100]{1,0:T(8,128)}")), 8 * 128 * 4);
    EXPECT_EQ(unpadded_bytes(shape_of("f32[3,100]{1,0:T(8,128)}")), 3 * 100 * 4);
    // The minor dimension is the first, so that 100 are rounded up to 104 and 3 to 128.
    EXPECT_EQ(padded_bytes(shape_of("f32[3,100]{0,1:T(8,128)}")), 104 * 128 * 4);
    EXPECT_EQ(padded_bytes(shape_of("f32[7,3,100]{2,1,0:T(8,128)}")), 7 * 8 * 128 * 4);
}

TEST(HloShape, OfFourBitsTakesHalfAByte)
{
    EXPECT_EQ(unpadded_bytes(shape_of("s4[4096,2048]{1,0:T(64,128)(8,1)E(4)}")), 4194304); // H8
    EXPECT_EQ(unpadded_bytes(shape_of("u4[3]")), 2);
}

TEST(HloShape, OfATupleIsThatOfItsElements)
{
    const Shape shape = shape_of("((f32[2], /*index=1*/token[]), bf16[3]{0}, u32[]{:S(2)})");
    EXPECT_TRUE(shape.is_tuple());
    EXPECT_EQ(shape.leaves, 4U);
    EXPECT_EQ(unpadded_bytes(shape), 8 + 6 + 4);
    EXPECT_EQ(first_leaf(shape, 1), 2U);
    EXPECT_EQ(leaves_of(shape)[1]->dtype, DType::token);
    EXPECT_EQ(shape_of("()").leaves, 0U);
}

TEST(HloShape, KnowsEachTypeThatXlaWrites)
{
    for (const auto& [name, bits] : std::vector<std::pair<std::string, int>>{{"pred", 8},
                                                                             {"s8", 8},
                                                                             {"u4", 4},
                                                                             {"f8e4m3fn", 8},
                                                                             {"f8e5m2", 8},
                                                                             {"f8e4m3b11fnuz", 8},
                                                                             {"f4e2m1fn", 4},
                                                                             {"c64", 64},
                                                                             {"f64", 64},
                                                                             {"token", 0}}) {
        EXPECT_EQ(bits_of(shape_of(name + "[]").dtype), bits) << name;
    }
}

TEST(HloShape, RefusedSaysWhereWhatAndWhatIsAllowed)
{
    EXPECT_EQ(
        shape_error("f23[2]").rfind("shape: line 1, column 1: found 'f23[2]'; allowed: pred, ", 0),
        0U);
    for (const char* wrong :
         {"f32", "f32[", "f32[2", "f32[2]{", "f32[2]{0", "f32[2]{1}", "f32[2,2]{0}", "f32[2]{0:}",
          "f32[2]{0:Q(2)}", "f32[2]{0:T(0)}", "f32[2]{0:T(8}", "(f32[2]", "(f32[2],)", "f32[-1]",
          "f32[2] ", "f32[99999999999999999999]", "f32[4294967296,4294967296]"}) {
        EXPECT_NE(shape_error(wrong).find("allowed: "), std::string::npos) << wrong;
    }
}

TEST(HloShape, IsNotNestedWithoutEnd)
{
    EXPECT_NE(shape_error(std::string(100000, '(')).find("tuples in 32 others"), std::string::npos);
}

} // namespace
} // namespace alxsim::hlo
