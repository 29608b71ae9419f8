// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/append_log.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

namespace alxsim::experiments {
namespace {

std::string content_of(const std::string& file)
{
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}

TEST(AppendLog, GrowsByALineAtATimeWhoeverOpensIt)
{
    const TemporaryFolder folder;
    AppendLog(folder.path("log")).append("one");
    AppendLog log(folder.path("log"));
    log.append("");
    log.append("three");
    EXPECT_EQ(content_of(folder.path("log")), "one\n\nthree\n");
}

TEST(AppendLog, LeavesATornLineOnALineOfItsOwn)
{
    const TemporaryFolder folder;
    folder.write("log", "one\ntw");
    AppendLog log(folder.path("log"));
    EXPECT_EQ(content_of(folder.path("log")), "one\ntw");
    log.append("three");
    log.append("four");
    EXPECT_EQ(content_of(folder.path("log")), "one\ntw\nthree\nfour\n");
}

TEST(AppendLog, SaysWhatCannotBeWritten)
{
    const TemporaryFolder folder;
    EXPECT_THROW(AppendLog(folder.path("none/log")), std::runtime_error);
    std::filesystem::create_symlink("/dev/full", folder.path("full"));
    AppendLog log(folder.path("full"));
    try {
        log.append("text");
        FAIL() << "a full disk takes it";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "cannot write " + folder.path("full") + ": No space left on device");
    }
}

} // namespace
} // namespace alxsim::experiments
