// SPDX-License-Identifier: Apache-2.0
#include "base/file_pattern.h"
#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace alxsim {
namespace {

/// The names behind the folder's path.
std::vector<std::string> found(const TemporaryFolder& folder, const std::string& pattern)
{
    std::vector<std::string> names;
    for (const std::string& file : files_like(folder.path(pattern))) {
        names.push_back(file.substr(folder.path().size() + 1));
    }
    return names;
}

TEST(FilePattern, StandsForFilesInTheOrderOfTheAlphabet)
{
    const TemporaryFolder folder;
    for (const char* sub : {"v5e_4x4", "v5e_4x8", "v6e_4x4", "v5e_4x4/step.d"}) {
        std::filesystem::create_directories(folder.path(sub));
    }
    for (const char* file : {"v5e_4x8/step.txt", "v5e_4x4/step.txt", "v5e_4x4/step.json",
                             "v6e_4x4/step.txt", "v5e_4x4/.step.txt", "a{b.txt"}) {
        folder.write(file, "");
    }
    using Names = std::vector<std::string>;
    EXPECT_EQ(found(folder, "v5e_*/step.txt"), (Names{"v5e_4x4/step.txt", "v5e_4x8/step.txt"}));
    EXPECT_EQ(found(folder, "v?e_4x4/step.txt"), (Names{"v5e_4x4/step.txt", "v6e_4x4/step.txt"}));
    EXPECT_EQ(found(folder, "v5e_{4x8,8x8,4x4}/step.txt"),
              (Names{"v5e_4x4/step.txt", "v5e_4x8/step.txt"}));
    EXPECT_EQ(found(folder, "v{5,6}e_{4x4,4x8}/s*p.t?t"),
              (Names{"v5e_4x4/step.txt", "v5e_4x8/step.txt", "v6e_4x4/step.txt"}));
    EXPECT_EQ(found(folder, "v5e_4x4/*"), (Names{"v5e_4x4/step.json", "v5e_4x4/step.txt"}));
    EXPECT_EQ(found(folder, "v5e_4x4/step.txt"), (Names{"v5e_4x4/step.txt"}));
    EXPECT_EQ(found(folder, "a{b.txt"), (Names{"a{b.txt"})) << "braces that do not close";
    EXPECT_EQ(found(folder, "*/*/none"), Names());
    EXPECT_EQ(found(folder, "*.txt*x"), Names());
}

TEST(FilePattern, RefusesToStandForHalfADisk)
{
    const TemporaryFolder folder;
    for (int i = 0; i <= 10000; ++i) {
        std::filesystem::create_directory(folder.path(std::to_string(i)));
    }
    EXPECT_TRUE(found(folder, "99*").empty());
    EXPECT_THROW(found(folder, "*"), InputError);
}

TEST(FilePattern, IsToldFromAPath)
{
    EXPECT_TRUE(is_file_pattern("step_*.txt"));
    EXPECT_TRUE(is_file_pattern("v5e_{4x4,4x8}/step.txt"));
    EXPECT_FALSE(is_file_pattern("v5e_4x4/step[1].hlo.txt.gz"));
}

} // namespace
} // namespace alxsim
