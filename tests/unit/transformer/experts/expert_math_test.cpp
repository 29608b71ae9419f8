// SPDX-License-Identifier: Apache-2.0
// Choices, places and weights of experts by hand, their gradients by finite differences.
#include "base/numbers/random.h"
#include "workloads/transformer/experts/expert_math.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

namespace alxsim::transformer {
namespace {

using Vector = std::vector<double>;

Vector normal_numbers(std::int64_t count, std::uint64_t stream)
{
    Vector numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(normal((stream << 32) + static_cast<std::uint64_t>(i)));
    }
    return numbers;
}

double product(const Vector& a, const Vector& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Returns that of f in x, by central differences.
Vector gradient_of(const std::function<double(const Vector&)>& f, Vector x)
{
    constexpr double step = 1e-5;
    Vector gradient;
    for (double& number : x) {
        const double before = number;
        number = before + step;
        const double above = f(x);
        number = before - step;
        gradient.push_back((above - f(x)) / (2 * step));
        number = before;
    }
    return gradient;
}

void expect_equal_nearly(const Vector& found, const Vector& expected)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-8) << i;
    }
}

TEST(ExpertMath, TheLargestLogitsAreChosenAndOfEqualOnesTheLowerExpert)
{
    const Routing routing{3, 4, 2, 3, 0};
    const Vector logits{1, 5, 2, 5, //
                        0, 0, 0, 0, //
                        3, 1, 2, 4};
    Vector chosen(6);
    choose_experts(routing, logits.data(), chosen.data());
    EXPECT_EQ(chosen, (Vector{1, 3, 0, 1, 3, 0}));
    Vector weights(6);
    choice_weights(routing, logits.data(), chosen.data(), weights.data());
    EXPECT_EQ(weights[0], 0.5);
    EXPECT_EQ(weights[2], 0.5);
    EXPECT_NEAR(weights[4], 1 / (1 + std::exp(-1.0)), 1e-15);
}

TEST(ExpertMath, CapacityIsRoundedUpOfEachSequence)
{
    EXPECT_EQ(capacity_of(0, 16, 2, 4), 0);
    EXPECT_EQ(capacity_of(1, 16, 2, 4), 8);
    EXPECT_EQ(capacity_of(1.25, 4096, 2, 8), 1280);
    EXPECT_EQ(capacity_of(1, 6, 2, 8), 2);
    EXPECT_EQ(capacity_of(0.01, 6, 2, 8), 1);
}

TEST(ExpertMath, WhoComesLaterFindsNoPlace)
{
    // Two sequences of three tokens; an expert takes two of each.
    const Routing routing{6, 2, 1, 3, 2};
    const Vector chosen{0, 0, 0, 1, 0, 1};
    Vector places(6);
    Vector counts(2);
    places_of(routing, chosen.data(), places.data(), counts.data());
    EXPECT_EQ(places, (Vector{0, 1, -1, 6, 2, 7}));
    EXPECT_EQ(counts, (Vector{3, 2}));

    const Vector x{1, 2, 3, 4, 5, 6};
    Vector buffer(8, 9);
    dispatch_rows(routing, places.data(), x.data(), 1, buffer.data());
    EXPECT_EQ(buffer, (Vector{1, 2, 5, 0, 0, 0, 4, 6}));
    const Vector weights(6, 0.5);
    Vector y(6);
    combine_rows(routing, places.data(), weights.data(), buffer.data(), 1, y.data());
    EXPECT_EQ(y, (Vector{0.5, 1, 0, 2, 2.5, 3}));
}

TEST(ExpertMath, WithoutCapacityAllStandByExpertsInTheirOrder)
{
    const Routing routing{3, 3, 2, 3, 0};
    const Vector chosen{2, 0, 0, 2, 1, 2};
    Vector places(6);
    Vector counts(3);
    places_of(routing, chosen.data(), places.data(), counts.data());
    EXPECT_EQ(places, (Vector{3, 0, 1, 4, 2, 5}));
    EXPECT_EQ(counts, (Vector{2, 1, 3}));
    EXPECT_EQ(rows_for_members(counts.data(), 3, 3), (std::vector<std::int64_t>{2, 1, 3}));
}

TEST(ExpertMath, RowsOfSeveralMembersAreSortedByExperts)
{
    // The last two of four experts stand here; two members.
    const ReceivedRows received{2, 4, 2, 2};
    const Vector counts{7, 7, 1, 2, //
                        7, 7, 3, 0};
    EXPECT_EQ(rows_of_experts(received, counts.data()), (std::vector<std::int64_t>{4, 2}));
    EXPECT_EQ(rows_of_members(received, counts.data()), (std::vector<std::int64_t>{3, 3}));
    const std::vector<std::int64_t> places = grouped_places(received, counts.data());
    EXPECT_EQ(places, (std::vector<std::int64_t>{0, 4, 5, 1, 2, 3}));
    const Vector x{10, 20, 21, 11, 12, 13};
    Vector sorted(6);
    scatter_rows(places, x.data(), 1, sorted.data());
    EXPECT_EQ(sorted, (Vector{10, 11, 12, 13, 20, 21}));
    Vector back(6);
    gather_rows(places, sorted.data(), 1, back.data());
    EXPECT_EQ(back, x);
}

TEST(ExpertMath, TheWeightsGradientIsThatOfASoftmaxOverTheChosen)
{
    const Routing routing{4, 5, 3, 4, 0};
    const Vector logits = normal_numbers(20, 1);
    const Vector dweights = normal_numbers(12, 2);
    Vector chosen(12);
    choose_experts(routing, logits.data(), chosen.data());
    const auto weights_of = [&](const Vector& of) {
        Vector weights(12);
        choice_weights(routing, of.data(), chosen.data(), weights.data());
        return weights;
    };
    Vector dlogits(20);
    choice_weights_backward(routing, chosen.data(), weights_of(logits).data(), dweights.data(),
                            dlogits.data());
    expect_equal_nearly(
        dlogits,
        gradient_of([&](const Vector& of) { return product(weights_of(of), dweights); }, logits));
}

/// Tokens that go to places and back, each expert a factor of its own.
struct ThereAndBack {
    Routing routing;
    Vector places, counts, factors;

    explicit ThereAndBack(const Routing& of)
        : routing(of),
          places(static_cast<std::size_t>(of.pairs())),
          counts(static_cast<std::size_t>(of.experts)),
          factors(normal_numbers(of.buffer_rows() * columns, 7))
    {
        Vector chosen(places.size());
        choose_experts(routing, normal_numbers(routing.tokens * routing.experts, 3).data(),
                       chosen.data());
        places_of(routing, chosen.data(), places.data(), counts.data());
    }
    static constexpr std::int64_t columns = 3;

    Vector buffer(const Vector& x) const
    {
        Vector rows(factors.size());
        dispatch_rows(routing, places.data(), x.data(), columns, rows.data());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i] *= factors[i];
        }
        return rows;
    }
    Vector combined(const Vector& x, const Vector& weights) const
    {
        Vector y(x.size());
        combine_rows(routing, places.data(), weights.data(), buffer(x).data(), columns, y.data());
        return y;
    }
};

class ExpertRows : public testing::TestWithParam<std::int64_t> {};

TEST_P(ExpertRows, GradientsOfTokensAndWeightsAreThoseOfDifferences)
{
    const ThereAndBack way({8, 4, 2, 4, GetParam()});
    const Vector x = normal_numbers(24, 4);
    const Vector weights = normal_numbers(16, 5);
    const Vector dy = normal_numbers(24, 6);
    Vector dbuffer(way.factors.size());
    Vector dweights(16);
    dispatch_rows(way.routing, way.places.data(), dy.data(), 3, dbuffer.data());
    combine_backward(way.routing, way.places.data(), weights.data(), way.buffer(x).data(), 3,
                     dbuffer.data(), dweights.data());
    for (std::size_t i = 0; i < dbuffer.size(); ++i) {
        dbuffer[i] *= way.factors[i];
    }
    Vector dx(24);
    dispatch_backward(way.routing, way.places.data(), dbuffer.data(), 3, dx.data());
    expect_equal_nearly(
        dx,
        gradient_of([&](const Vector& of) { return product(way.combined(of, weights), dy); }, x));
    expect_equal_nearly(
        dweights,
        gradient_of([&](const Vector& of) { return product(way.combined(x, of), dy); }, weights));
}

INSTANTIATE_TEST_SUITE_P(Capacities, ExpertRows, testing::Values(0, 1, 2, 8));

TEST(ExpertMath, WithoutCapacityAGatherAndASumAreACombination)
{
    const ThereAndBack way({8, 4, 2, 4, 0});
    const Vector buffer = way.buffer(normal_numbers(24, 4));
    const Vector weights = normal_numbers(16, 5);
    Vector rows(48);
    Vector sums(24);
    Vector combined(24);
    take_rows(way.routing, way.places.data(), buffer.data(), 3, rows.data());
    weighted_sums(way.routing, weights.data(), rows.data(), 3, sums.data());
    combine_rows(way.routing, way.places.data(), weights.data(), buffer.data(), 3, combined.data());
    EXPECT_EQ(sums, combined);
    Vector dx(24);
    weighted_sums<double>(way.routing, nullptr, rows.data(), 3, sums.data());
    dispatch_backward(way.routing, way.places.data(), buffer.data(), 3, dx.data());
    EXPECT_EQ(sums, dx);
}

} // namespace
} // namespace alxsim::transformer
