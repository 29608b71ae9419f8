// SPDX-License-Identifier: Apache-2.0
#include "model/program_cache.h"

#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using Graph = std::shared_ptr<const OpGraph>;

Graph vector_graph(std::int64_t elements)
{
    return graph_of({op_of(Vector{elements, 1, DType::f32})});
}

class ProgramCacheTest : public testing::Test {
protected:
    const topologies::Machine machine = easy_machine(4, "2x2", {true, true});
    PhaseNames phases;
    ProgramCache cache{machine, phases};
};

TEST_F(ProgramCacheTest, CompilesAGraphOnce)
{
    const Graph graph = vector_graph(5);
    EXPECT_EQ(cache.compiled(graph), cache.compiled(graph));
    EXPECT_EQ(cache.size(), 1u);
}

TEST_F(ProgramCacheTest, ForgetsGraphsThatNobodyHolds)
{
    const Graph kept = vector_graph(5);
    const auto first = cache.compiled(kept);
    for (int i = 0; i < 1000; ++i) {
        const Graph passing = vector_graph(1000 * i);
        EXPECT_EQ(cache.compiled(passing)->ops.front().op, &passing->ops.front());
    }
    EXPECT_LE(cache.size(), 2u);
    EXPECT_EQ(cache.compiled(kept), first);
}

TEST_F(ProgramCacheTest, KeepsThoseUsedLast)
{
    std::vector<Graph> graphs;
    std::vector<std::weak_ptr<const CompiledGraph>> programs;
    for (std::size_t i = 0; i < ProgramCache::most_programs + 10; ++i) {
        graphs.push_back(vector_graph(static_cast<std::int64_t>(i)));
        programs.push_back(cache.compiled(graphs.back()));
        cache.compiled(graphs.front());
    }
    EXPECT_EQ(cache.size(), ProgramCache::most_programs);
    EXPECT_FALSE(programs.front().expired());
    EXPECT_TRUE(programs[1].expired());
    EXPECT_FALSE(programs.back().expired());
}

TEST_F(ProgramCacheTest, SharesSchedulesBetweenGraphs)
{
    const Op gather = op_of(Collective{CollectiveKind::all_gather, Bytes(1 << 20)});
    const Graph one = graph_of({gather});
    const Graph other = graph_of({op_of(Vector{1, 1, DType::f32}), gather});
    EXPECT_EQ(cache.compiled(one)->ops[0].schedule, cache.compiled(other)->ops[1].schedule);
}

} // namespace
} // namespace alxsim::model
