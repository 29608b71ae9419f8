// SPDX-License-Identifier: Apache-2.0
#include "base/memory/host_memory.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <vector>

namespace alxsim {
namespace {

TEST(HostMemory, IsReadAsPeopleWriteIt)
{
    for (const auto& [text, bytes] :
         {std::pair("8G", std::int64_t{8} << 30), std::pair("1.5 TiB", std::int64_t{3} << 39),
          std::pair("200e6", std::int64_t{200000000}), std::pair("512MB", std::int64_t{512} << 20),
          std::pair("100k", std::int64_t{100} << 10)}) {
        EXPECT_EQ(bytes_of_text(text, "--memory"), Bytes(bytes)) << text;
    }
    for (const char* text :
         {"", "G", "-1G", "8X", "8GX", "8G 3", "nan", "inf", "1e30", "0x10", "0"}) {
        EXPECT_THROW(bytes_of_text(text, "--memory"), InputError) << text;
    }
}

TEST(HostMemory, IsThereAndNoMoreThanAMachineHas)
{
    EXPECT_GT(available_host_memory(), Bytes(1 << 20));
    EXPECT_LT(available_host_memory(), Bytes(std::int64_t{1} << 50));
}

TEST(HostMemory, OfWhichMoreIsNeededIsRefusedWithBothFigures)
{
    try {
        refuse_beyond_memory(Bytes(std::int64_t{17} << 30), Bytes(std::int64_t{8} << 30), "tables",
                             "a.txt", "line 1");
        FAIL() << "was not refused";
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what())
                      .rfind("a.txt: line 1: tables would take about 17.0 GiB "
                             "of this host's memory; allowed: 8.0 GiB",
                             0),
                  0U)
            << error.what();
    }
    EXPECT_NO_THROW(refuse_beyond_memory(Bytes(8), Bytes(8), "tables", "a.txt", "line 1"));
}

TEST(PeakMemory, RisesByWhatIsTakenAndStaysThere)
{
    const std::size_t size = std::size_t{64} << 20;
    const PeakMemory peak;
    {
        const std::vector<char> taken(size, 'x');
        EXPECT_EQ(taken.back(), 'x');
    }
    if (!peak.rise()) {
        GTEST_SKIP() << "this system does not tell";
    }
    EXPECT_GT(*peak.rise(), Bytes(60 << 20));
    EXPECT_LT(*PeakMemory().rise(), Bytes(32 << 20)) << "of an earlier peak nothing is counted";
}

TEST(PointsAtOnce, AreAsManyAsTheMemoryHasRoomForAndOneAtLeast)
{
    EXPECT_EQ(points_at_once(8, Bytes(10), Bytes(35)), 3);
    EXPECT_EQ(points_at_once(2, Bytes(10), Bytes(35)), 2);
    EXPECT_EQ(points_at_once(8, Bytes(50), Bytes(35)), 1);
    EXPECT_EQ(points_at_once(8, Bytes(0), Bytes(std::int64_t{1} << 40)), 8);
}

} // namespace
} // namespace alxsim
