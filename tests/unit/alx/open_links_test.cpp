// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/open_links.h"

#include "alx/data/generator/taken_columns.h"
#include "base/numbers/random.h"

#include <gtest/gtest.h>

namespace alxsim::alx {
namespace {

std::vector<std::int64_t> some_links(std::size_t columns)
{
    SplitMix64 random(columns);
    std::vector<std::int64_t> links(columns);
    for (std::int64_t& count : links) {
        count = static_cast<std::int64_t>(random.below(4)) - 1;
        count = count < 0 ? 0 : count * count * count;
    }
    links.back() = 5;
    return links;
}

void expect_sums_of(const std::vector<std::int64_t>& links, const OpenLinks& open)
{
    std::int64_t below = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const auto column = static_cast<std::int32_t>(i);
        ASSERT_EQ(open.below(column), below) << i;
        ASSERT_EQ(open.of(column), links[i]);
        for (std::int64_t k = 0; k < links[i]; ++k) {
            const OpenLinks::Place place = open.at(below + k);
            ASSERT_EQ(place.column, column) << below + k;
            ASSERT_EQ(place.below, below);
        }
        below += links[i];
    }
    ASSERT_EQ(open.below(static_cast<std::int32_t>(links.size())), below);
}

TEST(OpenLinks, AreSumsOfWhatColumnsLackWhateverWasTaken)
{
    for (const std::size_t columns : {1U, 7U, 8U, 9U, 63U, 64U, 65U, 511U, 512U, 700U}) {
        std::vector<std::int64_t> links = some_links(columns);
        OpenLinks open(links);
        expect_sums_of(links, open);
        SplitMix64 random(7);
        for (std::int32_t row = 0; row < 200; ++row) {
            const auto column = static_cast<std::int32_t>(random.below(columns));
            std::int64_t& left = links[static_cast<std::size_t>(column)];
            EXPECT_FALSE(open.is_taken_by(column, row));
            EXPECT_EQ(open.take(column, row), left > 0);
            EXPECT_TRUE(open.is_taken_by(column, row));
            left -= left > 0 ? 1 : 0;
        }
        expect_sums_of(links, open);
    }
}

TEST(OpenLinks, OfTakenColumnsAreWhereTheyAreAfterEachLinkTaken)
{
    std::vector<std::int64_t> links = some_links(40);
    OpenLinks open(links);
    TakenColumns taken;
    for (const std::int32_t column : {30, 3, 12, 39, 4, 21}) {
        const std::int64_t below = open.below(column);
        if (open.take(column, 1)) {
            taken.take(below, open.of(column));
        }
        const std::int64_t all = open.below(40);
        for (std::int64_t position = 0; position < all; ++position) {
            EXPECT_EQ(taken.hold(position), open.is_taken_by(open.at(position).column, 1))
                << position << " after column " << column;
        }
    }
}

TEST(OpenLinks, OfMoreTakenColumnsThanAreKeptAreHeldForTheLargest)
{
    const std::vector<std::int64_t> links{1, 50, 2, 40, 3, 3, 3, 3, 3, 3, 3, 3,
                                          3, 3,  3, 3,  3, 3, 3, 3, 3, 3, 60};
    OpenLinks open(links);
    TakenColumns taken;
    for (std::int32_t column = 0; column < static_cast<std::int32_t>(links.size()); ++column) {
        const std::int64_t below = open.below(column);
        open.take(column, 1);
        taken.take(below, open.of(column));
    }
    for (const std::int32_t column : {1, 3, 22}) {
        EXPECT_TRUE(taken.hold(open.below(column))) << column;
        EXPECT_TRUE(taken.hold(open.below(column) + open.of(column) - 1)) << column;
    }
    taken.clear();
    EXPECT_FALSE(taken.hold(open.below(1)));
}

} // namespace
} // namespace alxsim::alx
