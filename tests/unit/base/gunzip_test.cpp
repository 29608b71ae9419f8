// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/gunzip.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

/// "hello hello hello\n", by gzip -n.
const std::string
    compressed_hello("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x57"
                     "\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00",
                     29);

std::string gunzip_error(const std::string& bytes, std::int64_t most = 1000)
{
    try {
        gunzipped(bytes, "a.gz", most);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Gunzip, GivesWhatWasCompressed)
{
    EXPECT_EQ(gunzipped(compressed_hello, "a.gz", 1000), "hello hello hello\n");
}

TEST(Gunzip, ReadsMembersOneBehindTheOther)
{
    EXPECT_EQ(gunzipped(compressed_hello + compressed_hello, "a.gz", 1000),
              "hello hello hello\nhello hello hello\n");
}

TEST(Gunzip, LeavesWhatIsNotCompressed)
{
    EXPECT_EQ(gunzipped("hello", "a", 1000), "hello");
    EXPECT_EQ(gunzipped("", "a", 1000), "");
}

TEST(Gunzip, RefusesEveryPrefix)
{
    for (std::size_t size = 2; size < compressed_hello.size(); ++size) {
        EXPECT_NE(gunzip_error(compressed_hello.substr(0, size)).find("ends too early"),
                  std::string::npos)
            << size;
    }
}

TEST(Gunzip, RefusesDamageAndWhatIsTooLarge)
{
    std::string damaged = compressed_hello;
    damaged[12] = static_cast<char>(damaged[12] ^ 0x55);
    EXPECT_NE(gunzip_error(damaged).find("a.gz: byte "), std::string::npos);
    EXPECT_NE(gunzip_error(compressed_hello, 17).find("more than 17 bytes"), std::string::npos);
    EXPECT_EQ(gunzip_error(compressed_hello, 18), "no error");
}

} // namespace
} // namespace alxsim
