// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/graph/buffer_placement.h"
#include "model/graph/memory.h"
#include "model/graph/op_graph.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/reading.h"

#include <gtest/gtest.h>

/// Buffers that a graph declares, and those that it does not.
namespace alxsim::model {
namespace {

using topologies::Tier;

const Buffer& buffer_of(const OpGraph& graph, Name name)
{
    for (const Buffer& buffer : graph.buffers) {
        if (buffer.name == name) {
            return buffer;
        }
    }
    throw std::logic_error("no buffer " + name.text());
}

TEST(Buffers, HaveTheSizeAndResidencyThatIsDeclared)
{
    const OpGraph graph =
        read_graph(R"({"buffers": [{"name": "w", "bytes": 100, "residency": "host"},
                                               {"name": "x", "bytes": 9}],
        "ops": [{"work": "vector", "elements": 1, "reads": [{"buffer": "x", "bytes": 4}],
                 "writes": []}]})");
    EXPECT_EQ(buffer_of(graph, "w").bytes, Bytes(100));
    EXPECT_EQ(buffer_of(graph, "w").residency, Residency::host);
    EXPECT_EQ(buffer_of(graph, "x").bytes, Bytes(9));
    EXPECT_EQ(buffer_of(graph, "x").residency, Residency::any);
    EXPECT_EQ(graph.ops[0].reads[0].touched, Bytes(4));
}

TEST(Buffers, ThatAreNotDeclaredAreAsLargeAsTheirLargestUse)
{
    const OpGraph graph = read_graph(R"({"ops": [
        {"work": "vector", "elements": 1, "writes": [{"name": "x", "bytes": 4}]},
        {"work": "repeat", "times": 2, "body": {"ops": [
            {"work": "vector", "elements": 1, "reads": [{"buffer": "x", "bytes": 7}]}]}}]})");
    EXPECT_EQ(buffer_of(graph, "x").bytes, Bytes(7));
}

TEST(Buffers, OfTheOldFormStandInHbmIfTheyAreHeldOrTables)
{
    const OpGraph graph = read_graph(R"({"held": [{"name": "ahead", "bytes": 5}], "ops": [
        {"work": "vector", "elements": 1, "reads": [], "writes": [{"name": "tables.w", "bytes": 4},
                                                                  {"name": "rows", "bytes": 4}]},
        {"work": "vector", "elements": 1, "writes": [], "reads": [{"name": "tables.w", "bytes": 4},
                                                                  {"name": "rows", "bytes": 4}]}]})");
    const BufferPlacement placement = place(graph, Bytes(1000));
    EXPECT_EQ(placement.hbm_peak, Bytes(5 + 4));
    EXPECT_EQ(placement.in_vmem, NameSet{"rows"});
}

TEST(Buffers, AreWrittenOnceWithWhatIsKnownOfThem)
{
    const OpGraph graph =
        read_graph(R"({"buffers": [{"name": "w", "bytes": 100, "residency": "hbm"}],
        "ops": [{"work": "repeat", "times": 2, "body": {"ops": [
            {"work": "vector", "elements": 1, "writes": [],
             "reads": [{"name": "w", "bytes": 4}, {"name": "x", "bytes": 3}]}]}}]})");
    const Json json = to_json(graph);
    EXPECT_EQ(json.at("buffers"), Json::parse(R"([
        {"name": "w", "bytes": 100, "residency": "hbm"},
        {"name": "x", "bytes": 3, "residency": "any"}])"));
    EXPECT_EQ(json.at("ops").at(0).at("body").at("ops").at(0).at("reads").at(0),
              Json::parse(R"({"buffer": "w", "bytes": 4})"));
    EXPECT_EQ(to_json(op_graph_from_json(json, "graph.json")), json);
}

TEST(Buffers, AreRefusedInTwoWays)
{
    EXPECT_EQ(refusal_of(R"({"buffers": [{"name": "w", "bytes": 1}, {"name": "w", "bytes": 2}],
                             "ops": []})"),
              "graph.json: /buffers: buffer 'w': declared with two sizes or residencies; "
              "allowed: one");
    EXPECT_NE(refusal_of(R"({"buffers": [{"name": "w", "bytes": 1, "residency": "disk"}],
                             "ops": []})")
                  .find("/buffers/0/residency"),
              std::string::npos);
    EXPECT_NE(refusal_of(R"({"ops": [{"work": "vector", "elements": 1,
                                      "reads": [{"bytes": 1}]}]})")
                  .find("/ops/0/reads/0"),
              std::string::npos);
}

/// A job that keeps so much in host memory.
MemoryFit fit_of(Bytes in_host, const topologies::Machine& machine)
{
    OpGraph graph;
    graph.buffers = {{"optimizer", in_host, Residency::host}};
    return memory_fit({{{std::make_shared<const OpGraph>(graph), {}, 1}, 1}}, machine);
}

TEST(HostMemory, IsSharedByTheDevicesOfTheHostAndNotCountedInHbm)
{
    // Two devices on each of 8 chips: a sixteenth of 16,000 bytes each.
    const topologies::Machine machine =
        machine_of("tpu_v3", 16, {{"host_dram_bytes", 16'000}, {"chips_per_host", 8}});
    const MemoryFit fits = fit_of(Bytes(1000), machine);
    EXPECT_EQ(fits.host_capacity, Bytes(1000));
    EXPECT_EQ(fits.needed, Bytes(0));
    EXPECT_TRUE(fits.fits());
    const MemoryFit too_large = fit_of(Bytes(1001), machine);
    EXPECT_FALSE(too_large.fits());
    EXPECT_TRUE(too_large.fits_hbm());
    EXPECT_EQ(too_large.largest_part(), "host memory");
}

} // namespace
} // namespace alxsim::model
