// SPDX-License-Identifier: Apache-2.0
#include "alx/id_lists.h"

#include "base/numbers/random.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <set>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::int32_t largest_id = std::numeric_limits<std::int32_t>::max();

void append(IdLists& lists, const Ids& ids)
{
    lists.append(ids.data(), static_cast<std::int64_t>(ids.size()));
}

Ids ids_of(const IdLists& lists, std::int64_t list)
{
    Ids ids(static_cast<std::size_t>(lists.length(list)));
    lists.read(list, ids.data());
    return ids;
}

/// Distinct ids whose gaps are of very different sizes.
Ids mixed_ids(std::size_t count, std::uint64_t seed)
{
    SplitMix64 random(seed);
    std::set<std::int32_t> ids;
    while (ids.size() < count) {
        const std::uint64_t below = std::uint64_t{1} << (1 + random.below(31));
        ids.insert(static_cast<std::int32_t>(random.below(below)));
    }
    return {ids.begin(), ids.end()};
}

std::vector<Ids> all_kinds()
{
    Ids run(1000);
    std::iota(run.begin(), run.end(), 70);
    std::vector<Ids> kinds{{},
                           {0},
                           {largest_id},
                           {0, largest_id},
                           {},
                           {5, 6, 7},
                           {0, 1, 1000},
                           run,
                           {largest_id - 1, largest_id}};
    for (std::size_t count = 1; count < 200; ++count) {
        kinds.push_back(mixed_ids(count, count));
    }
    return kinds;
}

TEST(IdLists, ComeOutAsTheyWentInWhateverTheirGaps)
{
    const std::vector<Ids> kinds = all_kinds();
    IdLists lists;
    std::int64_t total = 0;
    for (const Ids& ids : kinds) {
        append(lists, ids);
        total += static_cast<std::int64_t>(ids.size());
    }
    EXPECT_EQ(lists.size(), static_cast<std::int64_t>(kinds.size()));
    EXPECT_EQ(lists.total(), total);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        EXPECT_EQ(ids_of(lists, static_cast<std::int64_t>(i)), kinds[i]) << i;
    }
}

TEST(IdLists, AreCopiedListByListAndWhole)
{
    IdLists lists;
    for (const Ids& ids : all_kinds()) {
        append(lists, ids);
    }
    IdLists others;
    for (std::int64_t list = 0; list < lists.size(); ++list) {
        others.append(lists, list);
    }
    EXPECT_TRUE(others == lists);
    const IdLists copy = lists;
    EXPECT_TRUE(copy == lists);
    append(others, {3});
    EXPECT_TRUE(others != copy);
    EXPECT_EQ(others.total(), copy.total() + 1);
}

TEST(IdLists, AreTheSameInAFileAndTakeLessMemory)
{
    IdLists in_memory;
    IdLists in_file(Bytes(1000));
    for (const Ids& ids : all_kinds()) {
        append(in_memory, ids);
        append(in_file, ids);
    }
    EXPECT_TRUE(in_file == in_memory);
    for (std::int64_t list = 0; list < in_file.size(); ++list) {
        EXPECT_EQ(ids_of(in_file, list), ids_of(in_memory, list)) << list;
    }
    EXPECT_LT(in_file.bytes(), in_memory.bytes() / 10);
}

TEST(IdLists, OfEmptyListsHaveNoIds)
{
    IdLists lists;
    append(lists, {});
    lists.append(IdLists(lists), 0);
    EXPECT_EQ(lists.size(), 2);
    EXPECT_EQ(lists.length(1), 0);
    EXPECT_EQ(ids_of(lists, 1), Ids());
}

/// The memory that is wanted: 5 bytes a link for both a matrix and its transpose.
TEST(IdLists, OfAWebWithTwentyMillionColumnsTakeLessThanTwoAndAHalfBytesAnId)
{
    constexpr std::uint64_t columns = 20'000'000;
    constexpr std::size_t lists_made = 2000;
    SplitMix64 random(1);
    IdLists lists;
    for (std::size_t list = 0; list < lists_made; ++list) {
        std::set<std::int32_t> ids;
        const std::uint64_t near = random.below(columns / 32 * 31);
        while (ids.size() < 50) {
            const bool is_near = random.below(10) < 8;
            ids.insert(static_cast<std::int32_t>(is_near ? near + random.below(columns / 32)
                                                         : random.below(columns)));
        }
        append(lists, {ids.begin(), ids.end()});
    }
    EXPECT_LT(lists.bytes(), lists.total() * 5 / 2);
}

TEST(Transpose, OfMoreLinksThanAreTakenAtATimeHasThemAll)
{
    SparseMatrix matrix{0, 3000};
    Ids all(3000);
    std::iota(all.begin(), all.end(), 0);
    while (matrix.links() < 6'000'000) {
        matrix.append(all);
        matrix.append({});
    }
    const SparseMatrix transposed = transpose(matrix);
    Ids even(static_cast<std::size_t>(matrix.rows) / 2);
    for (std::size_t i = 0; i < even.size(); ++i) {
        even[i] = static_cast<std::int32_t>(2 * i);
    }
    ASSERT_EQ(transposed.lists.size(), 3000);
    for (const std::int32_t column : {0, 1, 2096, 2097, 2098, 2999}) {
        EXPECT_EQ(transposed.ids(column), even) << column;
    }
    EXPECT_EQ(transposed.links(), matrix.links());
}

} // namespace
} // namespace alxsim::alx
