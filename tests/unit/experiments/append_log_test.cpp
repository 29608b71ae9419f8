// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/append_log.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <sstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<int> synced{0};

} // namespace

/// In place of the system's, which it calls.
extern "C" int fdatasync(int descriptor)
{
    ++synced;
    return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}

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

TEST(AppendLog, IsOnTheDiskWhenItIsAskedToBe)
{
    const TemporaryFolder folder;
    AppendLog log(folder.path("log"));
    log.append("one");
    const int before = synced;
    log.sync();
    EXPECT_EQ(synced, before + 1);
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
    AppendLog log("/dev/full");
    try {
        log.append("text");
        FAIL() << "a full disk takes it";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()), "cannot write /dev/full: No space left on device");
    }
}

TEST(AppendLog, GoesNowhereThatALinkLeads)
{
    const TemporaryFolder folder;
    std::filesystem::create_symlink("other", folder.path("log"));
    EXPECT_THROW(AppendLog(folder.path("log")), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(folder.path("other")));
}

} // namespace
} // namespace alxsim::experiments
