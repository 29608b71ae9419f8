// SPDX-License-Identifier: Apache-2.0
#include "model/meshes/mesh_search.h"

#include "base/input_error.h"
#include "model/collectives/mesh.h"
#include "model/meshes/laid_program.h"
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

/// Where the axes of a mesh lie on a slice.
namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::SliceRequest;

constexpr std::int64_t mebibyte = 1 << 20;

/// Layer after layer sums over tensor groups, then one over data groups: a transformer's.
std::vector<Op> sums(const std::shared_ptr<const Mesh>& mesh, std::int64_t tensor_bytes,
                     std::int64_t data_bytes)
{
    const auto along = [&mesh](const std::string& axis, std::int64_t bytes) {
        Collective collective{CollectiveKind::all_reduce, Bytes(bytes)};
        collective.group = {axis};
        collective.mesh = mesh;
        return op_of(collective, {}, axis);
    };
    return {repeat_of(100, {along("tensor", tensor_bytes)}), along("data", data_bytes)};
}

Program job_of(int data, int tensor, std::int64_t tensor_bytes = 16 * mebibyte,
               std::int64_t data_bytes = 256 * mebibyte)
{
    const auto mesh = std::make_shared<const Mesh>(Mesh{{"data", data}, {"tensor", tensor}});
    auto graph = std::make_shared<OpGraph>();
    graph->ops = sums(mesh, tensor_bytes, data_bytes);
    graph->mesh = mesh;
    return {{{graph, {}, 1}, 1}};
}

/// Returns the seconds of all collectives of a job, one after the other.
double seconds_of(const Program& program, const Machine& machine)
{
    ScheduleBook book(machine);
    const std::vector<Op>& ops = program.front().step.graph->ops;
    const auto time = [&book](const Op& op) {
        return to_seconds(book.best(std::get<Collective>(op.work)).time).count();
    };
    return 100 * time(std::get<Repeat>(ops[0].work).body->ops[0]) + time(ops[1]);
}

double searched_seconds(const Program& program, const Machine& machine)
{
    return seconds_of(laid_out(program, machine, ""), machine);
}

std::string place_of(const std::string& axis, const Program& program, const Machine& machine)
{
    const Program laid = laid_out(program, machine, "");
    return place_in_words(*laid.front().step.graph->mesh, axis, machine);
}

TEST(MeshSearch, HasEachDeviceAtOnePlaceInEveryLayout)
{
    const Mesh mesh{{"data", 6}, {"stage", 2}, {"tensor", 4}};
    const Machine machine = machine_of("tpu_v3", SliceRequest{48, "4x6", {}});
    ASSERT_EQ(machine.devices, 48);
    int layouts = 0;
    std::set<std::vector<int>> seen;
    for_layouts(mesh, machine, 10'000, [&](const MeshLayout& layout) {
        ++layouts;
        std::vector<int> devices = devices_of(mesh, layout, machine);
        EXPECT_TRUE(seen.insert(devices).second) << "twice";
        // What is said of the groups is what they are.
        Mesh laid = mesh;
        laid.devices = devices;
        for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
            std::vector<bool> spans(mesh.axes.size(), false);
            spans[axis] = true;
            auto groups = groups_of_mesh(laid, {mesh.axes[axis].name.text()});
            for (auto& group : groups) {
                std::sort(group.begin(), group.end());
            }
            const auto said = box_along(layout, spans, machine);
            const auto found = box_of(groups, machine);
            ASSERT_TRUE(said && found);
            EXPECT_EQ(said->whole_chips, found->whole_chips);
            ASSERT_EQ(said->sides.size(), found->sides.size());
            for (std::size_t side = 0; side < said->sides.size(); ++side) {
                EXPECT_EQ(said->sides[side].axis, found->sides[side].axis);
                EXPECT_EQ(said->sides[side].length, found->sides[side].length);
                EXPECT_EQ(said->sides[side].hops, found->sides[side].hops);
                EXPECT_EQ(said->sides[side].sharing, found->sides[side].sharing);
                EXPECT_EQ(said->sides[side].wraps, found->sides[side].wraps);
            }
        }
        std::sort(devices.begin(), devices.end());
        for (int device = 0; device < 48; ++device) {
            EXPECT_EQ(devices[static_cast<std::size_t>(device)], device);
        }
    });
    EXPECT_GT(layouts, 10);
}

/// On rings from wherever, on lines from as far from either end: what the search asks for once.
TEST(MeshSearch, FromRootsThatLookAlikeATreeTakesTheSame)
{
    const std::vector<Machine> machines{machine_of("tpu_v5e", SliceRequest{32, "4x8", {}}),
                                        machine_of("tpu_v5e", SliceRequest{256, "16x16", {}}),
                                        machine_of("tpu_v3", SliceRequest{32, "4x4", {}}),
                                        machine_of("tpu_v4", SliceRequest{64, "2x4x4", {}})};
    int compared = 0;
    for (const Machine& machine : machines) {
        const Mesh mesh{{"others", machine.devices / 8}, {"members", 8}};
        for_layouts(mesh, machine, 100, [&](const MeshLayout& layout) {
            const auto box = box_along(layout, {false, true}, machine);
            for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::reduce}) {
                const Collective rooted{kind, Bytes(compared % 2 == 0 ? 300'001 : 3'000)};
                const auto from = [&](int root, ScheduleTimes times) {
                    return quickest_in(rooted, group_of(*box, root, machine), machine, times).time;
                };
                std::map<std::vector<int>, int> first;
                for (int root = 0; root < 8; ++root) {
                    const auto alike = root_among_alike(group_of(*box, root, machine));
                    const int other = first.try_emplace(alike, root).first->second;
                    for (const auto times : {ScheduleTimes::exact, ScheduleTimes::closed_form}) {
                        EXPECT_EQ(from(root, times), from(other, times))
                            << machine.slice.shape() << ", " << root << ", " << other;
                    }
                    compared += other == root ? 0 : 1;
                }
                EXPECT_LE(first.size(), 8U);
            }
        });
    }
    EXPECT_GT(compared, 100);
}

TEST(MeshSearch, GivesTheBusyAxisAWholeRing)
{
    const Machine machine = machine_of("tpu_v5p", SliceRequest{256, "4x4x8", {}});
    EXPECT_EQ(place_of("tensor", job_of(32, 4), machine), "y");
    EXPECT_EQ(place_of("data", job_of(32, 4), machine), "x, z");
    EXPECT_EQ(place_of("tensor", job_of(16, 8), machine), "z");
}

TEST(MeshSearch, CutsAnAxisWhereNoneFits)
{
    const Machine machine = machine_of("tpu_v5e", 256);
    ASSERT_EQ(machine.slice.shape(), "16x16");
    const std::string tensor = place_of("tensor", job_of(64, 4), machine);
    EXPECT_TRUE(tensor == "4 of x" || tensor == "2 of x, 2 of y") << tensor;
}

TEST(MeshSearch, FindsTheSameTimeWhateverTheNamesOfTheAxes)
{
    const auto time = [](const std::string& shape) {
        return searched_seconds(job_of(32, 4), machine_of("tpu_v5p", SliceRequest{256, shape, {}}));
    };
    EXPECT_EQ(time("4x4x8"), time("8x4x4"));
    EXPECT_EQ(time("4x4x8"), time("4x8x4"));
}

TEST(MeshSearch, IsNoSlowerThanRowByRow)
{
    for (const std::string chip : {"tpu_v5p", "tpu_v5e", "tpu_v3", "tpu_7x"}) {
        const Machine machine = machine_of(chip, 64);
        // Parts of axes compete with whole ones on chips of two devices, in closed form, which is
        // up to a fifth too quick for groups that share links. Row by row may also get schedules
        // that no closed form judges.
        const double slack = machine.devices_per_chip == 1 ? 1.06 : 1.2;
        for (int tensor = 2; tensor < machine.devices; tensor *= 2) {
            for (const std::int64_t bytes : {mebibyte / 16, 16 * mebibyte}) {
                const Program job = job_of(machine.devices / tensor, tensor, bytes);
                EXPECT_LE(searched_seconds(job, machine), slack * seconds_of(job, machine))
                    << chip << ", tensor " << tensor;
            }
        }
    }
}

TEST(MeshSearch, PutsOneSliceBeforeTwoOfHalfItsSize)
{
    struct Case {
        std::string chip;
        int cores;
        std::string slice, half;
    };
    for (const Case& one : std::vector<Case>{{"tpu_v5p", 256, "4x4x8", "4x4x4"},
                                             {"tpu_v5p", 256, "8x4x4", "4x4x4"},
                                             {"tpu_v5e", 64, "8x8", "4x8"},
                                             {"tpu_v5e", 256, "16x16", "8x16"},
                                             {"tpu_v6e", 64, "8x8", "4x8"}}) {
        const Machine whole = machine_of(one.chip, SliceRequest{one.cores, one.slice, {}});
        SliceRequest halves{one.cores, one.half, {}};
        halves.slices = 2;
        const Machine two = machine_of(one.chip, halves);
        ASSERT_EQ(whole.devices, two.devices);
        for (int tensor = 2; tensor <= whole.devices / 2; tensor *= 2) {
            for (const std::int64_t bytes : {mebibyte / 4, 16 * mebibyte}) {
                const Program job = job_of(whole.devices / tensor, tensor, bytes);
                // Pairs leave the data groups a mesh of 8 x 4, two slices one of 4 x 4 with links
                // more between them: on v6e these are ahead by 1.4 %.
                const double slack = tensor == 2 ? 1.02 : 1;
                EXPECT_LT(searched_seconds(job, whole), slack * searched_seconds(job, two))
                    << one.chip << " " << one.slice << ", tensor " << tensor << ", " << bytes;
            }
        }
    }
}

TEST(MeshSearch, PutsTheReplicasOnTheNetworkBetweenSlices)
{
    SliceRequest request{256, "4x4x4", {}};
    request.slices = 2;
    const Machine machine = machine_of("tpu_v5p", request);
    EXPECT_EQ(place_of("tensor", job_of(32, 4), machine), "z");
    EXPECT_EQ(place_of("data", job_of(32, 4), machine), "x, y, dcn");
}

Machine with_axes(const std::string& shape, std::vector<topologies::MeshAxisPlace> axes)
{
    Machine machine = machine_of("tpu_v5e", SliceRequest{32, shape, {{true, true}}});
    machine.mesh_axes = std::move(axes);
    return machine;
}

TEST(MeshAxes, OverruleTheSearch)
{
    const Machine machine = with_axes("4x8", {{"data", {"x"}}, {"tensor", {"y"}}});
    EXPECT_EQ(place_of("data", job_of(4, 8), machine), "x");
    const Machine swapped = with_axes("8x4", {{"tensor", {"x"}}});
    EXPECT_EQ(place_of("tensor", job_of(4, 8), swapped), "x");
    // Two that name one axis part it.
    const Machine parted = with_axes("4x8", {{"data", {"x", "y"}}, {"tensor", {"y"}}});
    EXPECT_EQ(place_of("tensor", job_of(8, 4), parted).substr(0, 6), "4 of y");
}

std::string refusal(const Program& program, const Machine& machine)
{
    try {
        laid_out(program, machine, "study.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(MeshAxes, AreRefusedWhereTheyDoNotFit)
{
    EXPECT_EQ(refusal(job_of(4, 8), with_axes("4x8", {{"model", {"x"}}})),
              "study.json: /machine/axes: found 'model'; allowed: axes of the mesh: data, tensor");
    EXPECT_EQ(refusal(job_of(4, 8), with_axes("4x8", {{"data", {"z"}}})),
              "study.json: /machine/axes/data: found 'z' on a slice of 4x8 chips; allowed: x, y");
    EXPECT_EQ(
        refusal(job_of(4, 8), with_axes("4x8", {{"data", {"y"}}, {"tensor", {"x"}}})),
        "study.json: /machine/axes: found {\"data\":[\"y\"],\"tensor\":[\"x\"]} for a mesh of "
        "data 4, tensor 8 on a slice of 4x8 chips; allowed: axes whose lengths it has, as "
        "{\"data\":[\"x\"],\"tensor\":[\"y\"]}");
    Program without = job_of(4, 8);
    without.front().step.graph =
        graph_of({op_of(Collective{CollectiveKind::all_reduce, Bytes(8)})});
    EXPECT_EQ(refusal(without, with_axes("4x8", {{"data", {"x"}}})),
              "study.json: /machine/axes: found axes for a program that has no mesh of the "
              "machine's devices, or names them by number; allowed: none");
}

TEST(MeshSearch, LeavesWhatNamesDevicesRowByRow)
{
    const Machine machine = machine_of("tpu_v5e", SliceRequest{32, "8x4", {}});
    Program job = job_of(4, 8);
    EXPECT_FALSE(laid_out(job, machine, "").front().step.graph->mesh->devices.empty());
    auto graph = std::make_shared<OpGraph>(*job.front().step.graph);
    Collective pair{CollectiveKind::all_gather, Bytes(8)};
    pair.ranks = std::make_shared<const std::vector<std::vector<int>>>(
        std::vector<std::vector<int>>{{0, 1}});
    graph->ops.push_back(op_of(pair));
    job.front().step.graph = graph;
    EXPECT_EQ(laid_out(job, machine, "").front().step.graph, job.front().step.graph);
}

/// A sum along each of three axes of 4.
std::shared_ptr<const OpGraph> sums_along_three_axes()
{
    const auto mesh = std::make_shared<const Mesh>(Mesh{{"a", 4}, {"b", 4}, {"c", 4}});
    std::vector<Op> ops;
    for (const MeshAxis& axis : mesh->axes) {
        Collective sum{CollectiveKind::all_reduce, Bytes(16384)};
        sum.group = {axis.name.text()};
        sum.mesh = mesh;
        ops.push_back(op_of(sum));
    }
    auto graph = std::make_shared<OpGraph>(*graph_of(std::move(ops)));
    graph->mesh = mesh;
    return graph;
}

// Where a hop is all wire, a part of an axis between others' chips takes longer than the same part
// side by side; where it is all software, it does not.
TEST(MeshSearch, LaysAStepAnewOnANetworkWhoseAxesAloneAreTheSame)
{
    const auto with_software = [](double share) {
        return machine_of("tpu_v5e", SliceRequest{64, "8x8", {}},
                          {{"ici_hop_software_frac", share}, {"ici_hop_latency_s", 1e-5}});
    };
    const auto devices_on = [](const std::shared_ptr<const OpGraph>& graph,
                               const Machine& machine) {
        const Program laid = laid_out({{{graph, {}, 1}, 1}}, machine, "");
        return std::get<Collective>(laid.front().step.graph->ops.front().work).mesh->devices;
    };
    const auto graph = sums_along_three_axes();
    const std::vector<int> of_wire = devices_on(graph, with_software(0));
    const std::vector<int> of_software = devices_on(graph, with_software(1));
    EXPECT_EQ(of_software, devices_on(sums_along_three_axes(), with_software(1)));
    EXPECT_NE(of_software, of_wire);
}

} // namespace
} // namespace alxsim::model
