// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/beam_search.h"

#include "base/work/stop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

/// The search for plans, on costs that are made up.
namespace alxsim::experiments {
namespace {

/// Four axes of 6 options, one block each.
SearchSpace four_axes()
{
    return {{6, 6, 6, 6}, {{0}, {1}, {2}, {3}}, {0}, {{0, 0, 0, 0}}};
}

/// The least of all selections, by trying them all.
double least_of(const SearchSpace& space, const Cost& cost)
{
    double least = HUGE_VAL;
    Selection selection(space.options.size(), 0);
    for (std::size_t axis = 0; axis < selection.size();) {
        least = std::min(least, cost(selection).value_or(HUGE_VAL));
        for (axis = 0; axis < selection.size() && ++selection[axis] == space.options[axis];
             ++axis) {
            selection[axis] = 0;
        }
    }
    return least;
}

double separable(const Selection& selection)
{
    return std::abs(selection[0] - 4) + 10 * std::abs(selection[1] - 2) +
           std::abs(selection[2] - 5) + std::abs(selection[3] - 3);
}

/// Axes 1 and 2 pay only together: each of the changes alone makes it worse.
double needs_a_pair(const Selection& selection)
{
    const bool pair = selection[1] == 5 && selection[2] == 4;
    return 20 + selection[0] + selection[1] + selection[2] + std::abs(selection[3] - 2) -
           (pair ? 15 : 0);
}

TEST(BeamSearch, FindsTheLeastOfASumOverAxesWithoutTryingAllPlaces)
{
    const SearchResult result = beam_search(four_axes(), separable, {});
    ASSERT_FALSE(result.ranked.empty());
    EXPECT_EQ(result.ranked.front().selection, (Selection{4, 2, 5, 3}));
    EXPECT_EQ(result.ranked.front().cost, 0);
    EXPECT_TRUE(result.complete);
    EXPECT_LT(result.tried, 6U * 6 * 6 * 6 / 2);
}

TEST(BeamSearch, FindsAPairThatPaysOnlyTogetherIfItIsABlock)
{
    SearchSpace space = four_axes();
    const SearchResult apart = beam_search(space, needs_a_pair, {});
    EXPECT_GT(apart.ranked.front().cost, least_of(space, needs_a_pair));
    space.blocks = {{0}, {1, 2}, {3}};
    const SearchResult together = beam_search(space, needs_a_pair, {});
    EXPECT_EQ(together.ranked.front().cost, least_of(space, needs_a_pair));
}

TEST(BeamSearch, KeepsAFamilyThatIsSlowAtFirstAndFastOnceItsOtherAxesFit)
{
    // Family 3 is the slowest where the search starts and the fastest at option 5 of axis 1.
    const Cost cost = [](const Selection& selection) -> std::optional<double> {
        return selection[0] == 3 ? 100.0 - 19 * selection[1] : 50.0 + selection[0] + selection[1];
    };
    SearchSpace space = four_axes();
    const SearchResult wide = beam_search(space, cost, {});
    EXPECT_EQ(wide.ranked.front().cost, least_of(space, cost));
    SearchOptions narrow;
    narrow.beam = 1;
    EXPECT_GT(beam_search(space, cost, narrow).ranked.front().cost, least_of(space, cost));
}

TEST(BeamSearch, GoesRoundPlacesThatAreNotPossibleAndOutOfThem)
{
    const Cost cost = [](const Selection& selection) -> std::optional<double> {
        return selection[1] < 2 || selection[1] == 3 ? std::nullopt
                                                     : std::optional(separable(selection));
    };
    const SearchResult result = beam_search(four_axes(), cost, {});
    EXPECT_EQ(result.ranked.front().cost, least_of(four_axes(), cost));
    for (const RankedSelection& one : result.ranked) {
        EXPECT_TRUE(cost(one.selection)) << "ranked, but not possible";
    }
    EXPECT_LT(result.ranked.size(), result.tried);
}

TEST(BeamSearch, SaysThatItWasStopped)
{
    std::atomic<int> calls{0};
    const Cost cost = [&calls](const Selection& selection) -> std::optional<double> {
        ++calls;
        return separable(selection);
    };
    SearchOptions options;
    options.stop = [&calls] { return calls >= 5; };
    const SearchResult result = beam_search(four_axes(), cost, options);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.tried, 5U);
    EXPECT_EQ(result.ranked.size(), 5U);
}

TEST(BeamSearch, RanksTheSameForAnyNumberOfThreads)
{
    SearchOptions many;
    many.threads = 4;
    const SearchResult one = beam_search(four_axes(), needs_a_pair, {});
    const SearchResult four = beam_search(four_axes(), needs_a_pair, many);
    ASSERT_EQ(one.ranked.size(), four.ranked.size());
    for (std::size_t i = 0; i < one.ranked.size(); ++i) {
        EXPECT_EQ(one.ranked[i].selection, four.ranked[i].selection);
    }
}

TEST(BestOfFamilies, HasOnePlaceOfEach)
{
    const std::vector<RankedSelection> ranked{{{1, 0}, 1}, {{1, 1}, 2}, {{0, 3}, 3}, {{2, 0}, 4}};
    const std::vector<RankedSelection> best = best_of_families(ranked, {0}, 2);
    ASSERT_EQ(best.size(), 2U);
    EXPECT_EQ(best[0].selection, (Selection{1, 0}));
    EXPECT_EQ(best[1].selection, (Selection{0, 3}));
}

TEST(BeamSearch, TriesEachSingleChangeOfTheStartThenPairsThenTheRest)
{
    std::vector<std::size_t> changes; // from the start, in the order in which selections are tried
    const Cost cost = [&](const Selection& selection) {
        changes.push_back(selection.size() - static_cast<std::size_t>(std::count(
                                                 selection.begin(), selection.end(), 0)));
        return separable(selection);
    };
    const SearchResult result = beam_search(four_axes(), cost, {});
    ASSERT_GT(changes.size(), 21U);
    EXPECT_EQ(changes.front(), 0U);
    EXPECT_EQ(std::count(changes.begin() + 1, changes.begin() + 21, 1U), 20);
    EXPECT_EQ(result.single.tried, 20U);
    EXPECT_EQ(result.single.all, 20U);
    EXPECT_EQ(result.pairs.tried, 6U * 8);
    EXPECT_EQ(result.pairs.all, 6U * 25);
    // What saves most by itself is tried together, two, three and four of them; then pairs.
    EXPECT_EQ(changes.at(23), 4U);
    EXPECT_EQ(std::count(changes.begin() + 21, changes.begin() + 24 + 47, 2U), 48);
}

TEST(BeamSearch, TriesTheMostPromisingOfPairsOfEachTwoAxesFirst)
{
    SearchOptions options;
    options.pairs = 1;
    std::vector<Selection> tried;
    const Cost cost = [&](const Selection& selection) {
        tried.push_back(selection);
        return separable(selection) + 1;
    };
    beam_search(four_axes(), cost, options);
    EXPECT_EQ(tried.at(21), (Selection{0, 2, 5, 0})) << "what saves most by itself, together";
    EXPECT_EQ(tried.at(24), (Selection{4, 2, 0, 0})) << "a pair of the next two axes";
}

TEST(BeamSearch, TakesWhatWasStoppedForNotTriedAndTellsTheOptionsThatNoPlanHad)
{
    const Cost cost = [](const Selection& selection) -> std::optional<double> {
        if (selection[3] == 5) {
            throw Stopped();
        }
        return separable(selection);
    };
    const SearchResult result = beam_search(four_axes(), cost, {});
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.single.tried, 19U);
    EXPECT_EQ(result.untried, (std::vector<std::vector<int>>{{}, {}, {}, {5}}));
    for (const RankedSelection& one : result.ranked) {
        EXPECT_NE(one.selection[3], 5);
    }
}

} // namespace
} // namespace alxsim::experiments
