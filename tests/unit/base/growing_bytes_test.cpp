// SPDX-License-Identifier: Apache-2.0
#include "base/memory/growing_bytes.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace alxsim {
namespace {

constexpr Bytes thousand(1000);

/// `count` bytes, added in pieces of 97.
GrowingBytes grown(std::size_t count, Bytes most)
{
    GrowingBytes bytes(most);
    std::string piece(97, ' ');
    for (std::size_t at = 0; at < count; at += piece.size()) {
        for (std::size_t i = 0; i < piece.size(); ++i) {
            piece[i] = static_cast<char>((at + i) * 31);
        }
        bytes.append(reinterpret_cast<const unsigned char*>(piece.data()),
                     std::min(piece.size(), count - at));
    }
    return bytes;
}

std::string text_of(const GrowingBytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The environment without TMPDIR changed, afterwards.
class TemporaryDirectory {
public:
    explicit TemporaryDirectory(const std::string& path)
    {
        const char* const before = std::getenv("TMPDIR");
        was_set_ = before != nullptr;
        before_ = was_set_ ? before : "";
        ::setenv("TMPDIR", path.c_str(), 1);
    }
    ~TemporaryDirectory()
    {
        was_set_ ? ::setenv("TMPDIR", before_.c_str(), 1) : ::unsetenv("TMPDIR");
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

private:
    bool was_set_ = false;
    std::string before_;
};

TEST(GrowingBytes, AreTheSameInMemoryAndInAFile)
{
    const TemporaryFolder folder;
    const TemporaryDirectory here(folder.path());
    for (const std::size_t count : {std::size_t{1}, std::size_t{500}, std::size_t{300'000}}) {
        const GrowingBytes in_memory = grown(count, Bytes(1 << 30));
        const GrowingBytes in_file = grown(count, thousand);
        EXPECT_FALSE(in_memory.in_file());
        EXPECT_EQ(in_file.in_file(), count > 1000);
        EXPECT_EQ(text_of(in_memory), text_of(in_file));
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(in_file.data()) + count, 8),
                  std::string(8, '\0'));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the file has a name";
}

TEST(GrowingBytes, AreCopiedAndMovedWithTheirFile)
{
    GrowingBytes bytes = grown(5000, thousand);
    const std::string text = text_of(bytes);
    GrowingBytes copy = bytes;
    EXPECT_TRUE(copy.in_file());
    EXPECT_NE(copy.data(), bytes.data());
    const GrowingBytes moved = std::move(bytes);
    EXPECT_EQ(text_of(moved), text);
    copy.append(moved.data(), 10);
    EXPECT_EQ(text_of(copy), text + text.substr(0, 10));
    copy = moved;
    EXPECT_EQ(text_of(copy), text);
}

TEST(GrowingBytes, WithoutRoomForTheirFileNameTheFolder)
{
    const TemporaryFolder folder;
    const std::string gone = folder.path("gone");
    std::filesystem::create_directory(gone);
    const TemporaryDirectory here(gone);
    GrowingBytes bytes = grown(800, thousand);
    const GrowingBytes more = grown(500, thousand);
    std::filesystem::remove(gone);
    const std::string text = text_of(bytes);
    EXPECT_THROW(bytes.append(more.data(), more.size()), InputError);
    EXPECT_EQ(text_of(bytes), text);
}

TEST(GrowingBytes, FewStayInMemoryWhateverTheLimit)
{
    EXPECT_FALSE(go_into_a_file(Bytes(1 << 20)));
    EXPECT_TRUE(go_into_a_file(Bytes(std::int64_t{1} << 60)));
}

} // namespace
} // namespace alxsim
