// SPDX-License-Identifier: Apache-2.0
#include "spmd/checkpoint.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace alxsim::spmd {
namespace {

TEST(Checkpoint, GivesBackStateAndNumbers)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("kept");
    std::vector<double> wide{1.5, -2, 3};
    std::vector<float> narrow{7};
    write_checkpoint(path, "job", {{"steps", 3}},
                     {memory_of(wide.data(), 3), memory_of(narrow.data(), 1)});
    std::vector<double> wide_again(3);
    std::vector<float> narrow_again(1);
    const auto state = read_checkpoint(
        path, "job", {memory_of(wide_again.data(), 3), memory_of(narrow_again.data(), 1)});
    ASSERT_TRUE(state);
    EXPECT_EQ(*state, (Json{{"steps", 3}}));
    EXPECT_EQ(wide_again, wide);
    EXPECT_EQ(narrow_again, narrow);
}

TEST(Checkpoint, IsNothingToAnotherJob)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("kept");
    std::vector<double> numbers{1, 2, 3};
    EXPECT_FALSE(read_checkpoint(path, "job", {memory_of(numbers.data(), 3)}));
    write_checkpoint(path, "job", Json::object(), {memory_of(numbers.data(), 3)});
    std::vector<double> others{4, 5, 6};
    EXPECT_FALSE(read_checkpoint(path, "another", {memory_of(others.data(), 3)}));
    EXPECT_EQ(others, (std::vector<double>{4, 5, 6}));
}

TEST(Checkpoint, IsRefusedWhereDamagedAndChangesNothing)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("kept");
    std::vector<double> numbers{1, 2, 3};
    write_checkpoint(path, "job", Json::object(), {memory_of(numbers.data(), 3)});
    std::vector<double> others{4, 5, 6};
    const std::vector<MemoryPart> into{memory_of(others.data(), 3)};
    EXPECT_THROW(read_checkpoint(path, "job", {memory_of(others.data(), 2)}), InputError);
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-11, std::ios::end);
        file.put('x');
    }
    EXPECT_THROW(read_checkpoint(path, "job", into), InputError);
    std::ofstream(path) << "{}\n";
    EXPECT_THROW(read_checkpoint(path, "job", into), InputError);
    EXPECT_EQ(others, (std::vector<double>{4, 5, 6}));
}

} // namespace
} // namespace alxsim::spmd
