// SPDX-License-Identifier: Apache-2.0
#include "model/graph/for_each_op.h"

#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace alxsim::model {
namespace {

Op named(const std::string& name)
{
    return op_of(Vector{1, 1, DType::f32}, {}, name);
}

/// a, then three rounds of b and two (or as many as are counted) of c, then d.
std::shared_ptr<const OpGraph> nested()
{
    return graph_of(
        {named("a"), repeat_of(3, {named("b"), repeat_of(2, {named("c")}, "inner")}), named("d")});
}

TEST(ForEachOp, VisitsBodiesAfterTheirRepeatsInProgramOrder)
{
    std::string visited;
    for_each_op(*nested(),
                [&](const Op& op) { visited += body_of(op) == nullptr ? op.name.text() : "("; });
    EXPECT_EQ(visited, "a(b(cd");
}

TEST(ForEachOp, SaysHowOftenEachRuns)
{
    const Counts counts{{"inner", {5, 7}}};
    const auto times = [&](const auto& rounds) {
        std::vector<std::int64_t> result;
        for_each_op(*nested(), std::int64_t{10}, rounds,
                    [&](const Op&, std::int64_t runs) { result.push_back(runs); });
        return result;
    };
    EXPECT_EQ(times(RoundsOfFirstDevice{{}}), (std::vector<std::int64_t>{10, 10, 30, 30, 60, 10}));
    EXPECT_EQ(times(RoundsOfFirstDevice{counts}),
              (std::vector<std::int64_t>{10, 10, 30, 30, 150, 10}));
    EXPECT_EQ(times(RoundsOfSlowestDevice{counts}),
              (std::vector<std::int64_t>{10, 10, 30, 30, 210, 10}));
}

TEST(ForEachOp, FindsAnOpInTheInnermostBody)
{
    const auto has = [](const std::string& name) {
        return any_op(*nested(), [&](const Op& op) { return op.name == Name(name); });
    };
    EXPECT_TRUE(has("c"));
    EXPECT_FALSE(has("e"));
}

} // namespace
} // namespace alxsim::model
