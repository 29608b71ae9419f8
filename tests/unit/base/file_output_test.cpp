// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

int synced = 0; ///< files

} // namespace

/// In place of the system's, which it calls.
extern "C" int fsync(int descriptor)
{
    ++synced;
    return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace alxsim {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(FileOutput, TakesThePlaceOfWhatWasThereAndLeavesNothingBeside)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("a.txt", "old");
    write_file_atomically(path, "new");
    EXPECT_EQ(content_of(path), "new");
    EXPECT_EQ(folder.names().size(), 1U);
}

TEST(FileOutput, ThatFailsLeavesTheOldOne)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("a.txt", "old");
    EXPECT_THROW(
        write_file_atomically(path, [](std::ostream& file) { file.setstate(std::ios::failbit); }),
        std::runtime_error);
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(folder.names().size(), 1U);
}

TEST(FileOutput, GoesWhereALinkLeads)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("a.txt", "old");
    fs::create_symlink("a.txt", folder.path("link"));
    fs::create_symlink("link", folder.path("link to link"));
    fs::create_symlink("not there yet", folder.path("dangling"));
    write_file_atomically(folder.path("link to link"), "new");
    EXPECT_EQ(content_of(path), "new");
    EXPECT_TRUE(fs::is_symlink(folder.path("link")));
    write_file_atomically(folder.path("dangling"), "new");
    EXPECT_EQ(content_of(folder.path("not there yet")), "new");
}

TEST(FileOutput, ANewFileFollowsNoLinkAndTakesNobodysPlace)
{
    const TemporaryFolder folder;
    const std::string old = folder.write("old.txt", "old");
    fs::create_symlink("old.txt", folder.path("link"));
    fs::create_symlink("not there", folder.path("dangling"));
    for (const char* name : {"old.txt", "link", "dangling", "no folder/new.txt"}) {
        EXPECT_THROW(write_new_file(folder.path(name), "new"), std::runtime_error) << name;
    }
    EXPECT_EQ(content_of(old), "old");
    EXPECT_FALSE(fs::exists(folder.path("not there")));
    EXPECT_EQ(folder.names().size(), 3U) << "nothing is left of what failed";
    write_new_file(folder.path("new.txt"), "new");
    EXPECT_EQ(content_of(folder.path("new.txt")), "new");
    EXPECT_EQ(folder.names().size(), 4U);
}

TEST(FileOutput, ANewFileByItsDescriptorIsThereWholeOrNotAtAll)
{
    const TemporaryFolder folder;
    const auto fill = [](int descriptor) { EXPECT_EQ(write(descriptor, "new", 3), 3); };
    write_new_file(folder.path("new.txt"), fill);
    EXPECT_EQ(content_of(folder.path("new.txt")), "new");
    const std::string old = folder.write("old.txt", "old");
    EXPECT_THROW(write_new_file(old, fill), std::runtime_error);
    EXPECT_EQ(content_of(old), "old");
    const auto fail = [&](int descriptor) {
        fill(descriptor);
        throw std::length_error("no room");
    };
    EXPECT_THROW(write_new_file(folder.path("failed.txt"), fail), std::length_error);
    EXPECT_EQ(folder.names().size(), 2U) << "nothing is left of what failed";
}

TEST(FileOutput, WritesIntoADeviceAndLeavesItOne)
{
    const TemporaryFolder folder;
    fs::create_symlink("/dev/null", folder.path("null"));
    fs::create_symlink("/dev/full", folder.path("full"));
    EXPECT_NO_THROW(write_file_atomically(folder.path("null"), "text"));
    EXPECT_THROW(write_file_atomically(folder.path("full"), "text"), std::runtime_error);
    EXPECT_TRUE(fs::is_character_file(folder.path("null")));
    EXPECT_TRUE(fs::is_character_file(folder.path("full")));
}

TEST(FileOutput, WritesIntoAPipe)
{
    const TemporaryFolder folder;
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK); // else the writer waits for one
    write_file_atomically(pipe, "text");
    char text[8] = {};
    EXPECT_EQ(read(reader, text, sizeof text), 4);
    EXPECT_STREQ(text, "text");
    close(reader);
    EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(FileOutput, IntoAFolderIsRefused)
{
    const TemporaryFolder folder;
    EXPECT_THROW(write_file_atomically(folder.path(), "text"), std::runtime_error);
    EXPECT_THROW(write_file_atomically(folder.path("no/such/folder"), "text"), std::runtime_error);
}

TEST(FileOutput, ThatASignalEndsLeavesWhatWasThere)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("a.txt", "old");
    const auto interrupted = [&](std::ostream& file) {
        file << "new";
        remove_unfinished_files();
        EXPECT_EQ(folder.names(), std::vector<std::string>{"a.txt"});
    };
    EXPECT_THROW(write_file_atomically(path, interrupted), std::runtime_error);
    EXPECT_EQ(content_of(path), "old");
    remove_unfinished_files(); // nothing is left to remove
    write_file_atomically(path, "new");
    EXPECT_EQ(content_of(path), "new");
}

TEST(FileOutput, OfAKilledProcessIsRemovedAndNothingElse)
{
    const TemporaryFolder folder;
    std::string begun;
    write_file_atomically(folder.path("a"), [&](std::ostream& file) {
        file << "text";
        begun = folder.names().front();
    });
    folder.write(begun, "half a te");
    folder.write("movie.part01", "");
    folder.write("report.partial.json", "");
    remove_begun_files(folder.path(), [](const std::string& name) { return name == "b"; });
    EXPECT_EQ(folder.names().size(), 4U) << "it was to become another file";
    remove_begun_files(folder.path(), [](const std::string& name) { return name == "a"; });
    EXPECT_EQ(folder.names().size(), 3U);
    folder.write(begun, "half a te");
    remove_begun_files(folder.path());
    std::vector<std::string> left = folder.names();
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, (std::vector<std::string>{"a", "movie.part01", "report.partial.json"}));
}

TEST(FileOutput, IsOnTheDiskBeforeItTakesItsPlace)
{
    const TemporaryFolder folder;
    const int before = synced;
    write_file_atomically(folder.path("a"), "text", OnDisk::later);
    EXPECT_EQ(synced, before);
    write_file_atomically(folder.path("a"), "text");
    EXPECT_EQ(synced, before + 1);
}

TEST(FileOutput, IsBuiltUpUnderANameThatNobodyFollows)
{
    const TemporaryFolder folder;
    std::vector<std::string> names;
    for (int i = 0; i < 2; ++i) {
        write_file_atomically(folder.path("a"), [&](std::ostream& file) {
            file << "text";
            for (const std::string& name : folder.names()) {
                names.push_back(name);
            }
        });
    }
    names.erase(std::remove(names.begin(), names.end(), "a"), names.end());
    ASSERT_EQ(names.size(), 2U);
    EXPECT_NE(names[0], names[1]);
    EXPECT_EQ(names[0].find("a.part"), 0U);
}

} // namespace
} // namespace alxsim
