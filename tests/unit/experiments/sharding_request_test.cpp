// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"
#include "alx/requests/mesh_request.h"
#include "alx/workload/workload.h"
#include "base/input_error.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/points/timing/traffic.h"
#include "report/point_fields.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace alxsim::experiments {
namespace {

Json study(int cores, const Json& alx)
{
    return with_study_defaults(
        {{"machine", {{"chip", "tpu_v3"}, {"cores", cores}}}, {"workload", {{"alx", alx}}}});
}

alx::DeviceMesh mesh(const std::string& slice, int cores, const Json& alx)
{
    Json point = study(cores, alx);
    point["machine"]["slice"] = slice;
    const auto request = value_of_json<MachineRequest>(point.at("machine"));
    return alx::mesh_of(alx::point_request(point).workload.alx, machine_of(request, "s.json"),
                        "s.json");
}

std::vector<int> row_shards(const alx::DeviceMesh& mesh)
{
    std::vector<int> shards;
    for (const alx::DeviceMesh::Coordinates& at : mesh.coordinates) {
        shards.push_back(at.row_shard);
    }
    return shards;
}

TEST(MeshRequest, GivesEveryDeviceItsOwnRowShardByDefault)
{
    const alx::DeviceMesh plain = mesh("4x4", 32, Json::object());
    EXPECT_TRUE(plain.plain());
    EXPECT_EQ(plain.row_shards, 32);
    EXPECT_TRUE(plain.row_axes.empty());
    EXPECT_TRUE(mesh("4x4", 32, {{"group_axes", {"y", "x"}}}).plain());
}

TEST(MeshRequest, HoldsReplicasAlongAxesThatNoListNames)
{
    const alx::DeviceMesh found = mesh("4x8", 64, {{"group_axes", {"x"}}});
    EXPECT_EQ(found.row_shards, 8); // four chips of two cores
    EXPECT_EQ(found.replicas, 8);
    EXPECT_EQ(found.embedding_shards, 1);
    EXPECT_EQ(found.row_axes, std::vector<std::string>{"x"});
    EXPECT_EQ(found.replica_axes, std::vector<std::string>{"y"});
}

TEST(MeshRequest, PutsEachCombinationOfShardsAndReplicaOnOneDevice)
{
    const alx::DeviceMesh found =
        mesh("4x8", 64, {{"group_axes", {"x"}}, {"embedding_axes", {"y"}}});
    EXPECT_EQ(found.embedding_shards, 8);
    EXPECT_EQ(found.replicas, 1);
    std::set<std::tuple<int, int, int>> coordinates;
    for (const alx::DeviceMesh::Coordinates& at : found.coordinates) {
        coordinates.insert({at.row_shard, at.embedding_shard, at.replica});
    }
    EXPECT_EQ(coordinates.size(), 64U);
}

TEST(MeshRequest, WalksTheTorusInTheOrderAskedFor)
{
    // A core each on v5e would be plainer; here chips hold two neighbours in number.
    EXPECT_EQ(row_shards(mesh("2x2", 8, {{"core_order", "row_major"}})),
              (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(row_shards(mesh("2x2", 8, {{"core_order", "column_major"}})),
              (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
    EXPECT_EQ(row_shards(mesh("2x2", 8, {{"core_order", "snake"}})),
              (std::vector<int>{0, 1, 2, 3, 6, 7, 4, 5}));
}

TEST(MeshRequest, RefusesAxesThatTheSliceLacksOrThatStandInBothLists)
{
    EXPECT_THROW(mesh("2x2", 8, {{"group_axes", {"z"}}}), InputError);
    EXPECT_THROW(mesh("2x2", 8, {{"group_axes", {"x"}}, {"embedding_axes", {"x"}}}), InputError);
}

TEST(MeshRequest, RefusesAxesOfAMeshThatItDoesNotHave)
{
    Json point = study(8, Json::object());
    point["machine"]["axes"] = {{"data", {"x"}}};
    const auto request = value_of_json<MachineRequest>(point.at("machine"));
    try {
        alx::mesh_of(alx::point_request(point).workload.alx, machine_of(request, "s.json"),
                     "s.json");
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "s.json: /machine/axes: found for an ALX job, which has no mesh; allowed: its "
                     "own /workload/alx/group_axes and /workload/alx/embedding_axes, which name "
                     "axes of the slice");
    }
}

alx::TimingProgram program_of(const std::string& gather, const std::string& scatter, int devices)
{
    alx::GenerateConfig links;
    links.rows = 400;
    links.columns = 300;
    links.links = 4000;
    links.locality = 0.5;
    alx::AlxConfig config;
    config.dim = 16;
    config.semantics = alx::Semantics{};
    config.gather = gather;
    config.scatter = scatter;
    config.batch = {64, 8, 32};
    config.column_batch = {256, 8, 32};
    static const alx::SparseMatrix data = generate(links, 7);
    return alx::timing_program(
        config, std::make_shared<const alx::PreparedLinks>(config, data, devices), devices);
}

Json entry(const Json& list, const char* field, const std::string& name)
{
    for (const Json& one : list) {
        if (one.at(field) == name) {
            return one;
        }
    }
    ADD_FAILURE() << "no '" << name << "' in " << list.dump();
    return {};
}

topologies::Machine machine_of_four()
{
    return machine_of(value_of_json<MachineRequest>({{"chip", "tpu_v3"}, {"cores", 4}}), "s.json");
}

TEST(Traffic, SumsPayloadsOverLoopsAndSteps)
{
    const alx::TimingProgram loop = program_of("all_reduce_loop", "all_gather", 4);
    const alx::TimingProgram direct = program_of("all_reduce", "all_gather", 4);
    const Json of_loop =
        entry(json_of(traffic_of(loop.epoch, machine_of_four())), "op", "combine rows");
    const Json of_direct =
        entry(json_of(traffic_of(direct.epoch, machine_of_four())), "op", "combine rows");
    const std::int64_t slots = loop.rows.batches * 64 * 8 + loop.columns.batches * 256 * 8;
    EXPECT_EQ(of_loop.at("payload_bytes"), slots * 16 * 2);
    EXPECT_EQ(of_direct.at("payload_bytes"), of_loop.at("payload_bytes"));
    EXPECT_EQ(of_loop.at("times"), 4 * of_direct.at("times").get<int>());
}

TEST(Traffic, CountsTheMessagesOfAllDevicesAndTheirMean)
{
    const alx::TimingProgram program = program_of("all_to_all", "all_gather", 4);
    const Json sent =
        entry(json_of(traffic_of(program.epoch, machine_of_four())), "op", "send rows to askers");
    EXPECT_GT(sent.at("message_bytes").get<std::int64_t>(), 0);
    EXPECT_EQ(sent.at("payload_bytes").get<double>() * 4, sent.at("message_bytes").get<double>());
}

Json skew_in(const alx::TimingProgram& program)
{
    alx::Job job;
    job.program = program;
    return json_of(skew_of(program.epoch, alx::AlxWorkload(job, 2).describe().spreads, 4));
}

TEST(Skew, NamesTheSpreadAndTheCoreThatHasMost)
{
    const alx::TimingProgram program = program_of("all_to_all", "owner_computes", 4);
    const Json skew = skew_in(program);
    const Json links = entry(skew, "of", "batches of the row half");
    const std::vector<std::int64_t>& each = program.rows.links_of_device;
    EXPECT_EQ(links.at("most"), *std::max_element(each.begin(), each.end()));
    EXPECT_EQ(each.at(links.at("straggler").get<std::size_t>()), links.at("most"));
    EXPECT_EQ(links.at("mean"), 1000.0);
    const Json served = entry(skew, "of", "look up asked rows");
    EXPECT_GE(served.at("most_over_mean").get<double>(), 1.0);
    EXPECT_LE(served.at("least").get<double>(), served.at("mean").get<double>());
}

TEST(Skew, IsEmptyOfOpsWhereAllCoresAreAlike)
{
    for (const Json& entry : skew_in(program_of("all_reduce", "all_gather", 4))) {
        EXPECT_EQ(entry.at("unit"), "links"); // of the batches alone
    }
}

} // namespace
} // namespace alxsim::experiments
