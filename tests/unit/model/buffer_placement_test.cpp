// SPDX-License-Identifier: Apache-2.0
#include "model/graph/buffer_placement.h"

#include "model/graph/memory.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace alxsim::model {
namespace {

using Uses = std::vector<BufferUse>;

Op touching(Uses reads, Uses writes)
{
    Op op = op_of(Vector{1, 1, DType::f32});
    op.reads = std::move(reads);
    op.writes = std::move(writes);
    return op;
}

BufferUse buffer(const std::string& name, std::int64_t bytes)
{
    return {name, Bytes(bytes)};
}

TEST(BufferPlacement, KeepsInVmemWhatTheStepWritesAndReads)
{
    const auto graph = graph_of({touching({}, {buffer("between", 100)}),
                                 touching({buffer("between", 100)}, {buffer("out", 1)})});
    const BufferPlacement placement = place(*graph, Bytes(100));
    EXPECT_TRUE(placement.vmem("between"));
    EXPECT_EQ(placement.vmem_peak, Bytes(100));
    EXPECT_EQ(place(*graph, Bytes(99)).vmem_peak, Bytes(0));
}

TEST(BufferPlacement, LeavesInHbmWhatEntersOrLeavesTheStep)
{
    const auto graph = graph_of({touching({buffer("entering", 8)}, {buffer("leaving", 16)})});
    const BufferPlacement placement = place(*graph, Bytes(1000));
    EXPECT_TRUE(placement.in_vmem.empty());
    EXPECT_EQ(placement.hbm_peak, Bytes(24));
}

/// A graph that writes and reads `buffer`, as it is declared.
OpGraph using_declared(const Buffer& buffer)
{
    OpGraph graph;
    graph.add(touching({}, {{buffer.name, Bytes(8)}}));
    graph.add(touching({{buffer.name, Bytes(8)}}, {}));
    graph.buffers = {buffer};
    return graph;
}

TEST(BufferPlacement, LeavesBuffersWhereTheyAreDeclaredToStand)
{
    const auto tier = [](Residency residency) {
        return place(using_declared({"b", Bytes(8), residency}), Bytes(8)).tier_of("b");
    };
    EXPECT_EQ(tier(Residency::any), topologies::Tier::vmem);
    EXPECT_EQ(tier(Residency::vmem), topologies::Tier::vmem);
    EXPECT_EQ(tier(Residency::hbm), topologies::Tier::hbm);
    EXPECT_EQ(tier(Residency::host), topologies::Tier::host);
}

TEST(BufferPlacement, CountsTheDeclaredSizeAndNotWhatUsesTouch)
{
    for (const std::int64_t size : {5, 100}) {
        const BufferPlacement placement =
            place(using_declared({"b", Bytes(size), Residency::hbm}), Bytes(0));
        EXPECT_EQ(placement.hbm_peak, Bytes(size));
    }
    const BufferPlacement below =
        place(using_declared({"b", Bytes(100), Residency::host}), Bytes(0));
    EXPECT_EQ(below.hbm_peak, Bytes(0));
    EXPECT_EQ(below.host_peak, Bytes(100));
}

TEST(BufferPlacement, PutsWhatMustStayInVmemThereFirst)
{
    OpGraph graph = using_declared({"must", Bytes(60), Residency::vmem});
    graph.add(touching({buffer("often", 60)}, {buffer("often", 60), buffer("must", 1)}));
    EXPECT_EQ(place(graph, Bytes(100)).in_vmem, NameSet{"must"});
    try {
        place(graph, Bytes(59));
        ADD_FAILURE() << "60 bytes in 59";
    } catch (const InputError& error) {
        EXPECT_EQ(
            std::string(error.what()),
            "buffer 'must': found residency vmem for 60 bytes; allowed: up to the 59 that are "
            "left there, or residency any");
    }
}

TEST(BufferPlacement, PrefersTheMostUsedThenTheSmaller)
{
    const auto graph = graph_of({touching({}, {buffer("once", 60), buffer("often", 60)}),
                                 touching({buffer("often", 60)}, {}),
                                 touching({buffer("once", 60), buffer("often", 60)}, {})});
    const BufferPlacement placement = place(*graph, Bytes(100));
    EXPECT_TRUE(placement.vmem("often"));
    EXPECT_FALSE(placement.vmem("once"));

    const auto equal = graph_of({touching({}, {buffer("a_large", 60), buffer("small", 50)}),
                                 touching({buffer("a_large", 60), buffer("small", 50)}, {})});
    EXPECT_EQ(place(*equal, Bytes(100)).in_vmem, NameSet{"small"});
}

TEST(BufferPlacement, GivesTheSameRoomToBuffersThatAreNotAliveTogether)
{
    const auto graph =
        graph_of({touching({}, {buffer("first", 80)}), touching({buffer("first", 80)}, {}),
                  touching({}, {buffer("second", 80)}), touching({buffer("second", 80)}, {})});
    const BufferPlacement placement = place(*graph, Bytes(100));
    EXPECT_EQ(placement.in_vmem, (NameSet{"first", "second"}));
    EXPECT_EQ(placement.vmem_peak, Bytes(80));
}

TEST(BufferPlacement, KeepsAliveAllThatARepeatUses)
{
    const auto graph = graph_of({repeat_of(
        3, {touching({}, {buffer("first", 80)}), touching({buffer("first", 80)}, {}),
            touching({}, {buffer("second", 80)}), touching({buffer("second", 80)}, {})})});
    EXPECT_EQ(place(*graph, Bytes(100)).in_vmem.size(), 1u);
    EXPECT_EQ(place(*graph, Bytes(160)).in_vmem.size(), 2u);
}

TEST(BufferPlacement, LetsArraysOfAnIterationFollowEachOtherInVmem)
{
    const auto declared = [](std::vector<Op> body) {
        OpGraph graph = *graph_of({repeat_of(3, std::move(body))});
        graph.buffers = {{"first", Bytes(80), Residency::vmem},
                         {"second", Bytes(80), Residency::vmem}};
        return graph;
    };
    const OpGraph in_turns =
        declared({touching({}, {buffer("first", 80)}), touching({buffer("first", 80)}, {}),
                  touching({}, {buffer("second", 80)}), touching({buffer("second", 80)}, {})});
    EXPECT_EQ(place(in_turns, Bytes(100)).vmem_peak, Bytes(80));
    // The next iteration reads what this one has written: it stays.
    const OpGraph carried =
        declared({touching({buffer("first", 80)}, {}), touching({}, {buffer("second", 80)}),
                  touching({buffer("second", 80)}, {buffer("first", 80)})});
    EXPECT_THROW(place(carried, Bytes(100)), InputError);
    EXPECT_EQ(place(carried, Bytes(160)).vmem_peak, Bytes(160));
    // A part of it is written, or something is added to it: the rest is of the iteration before.
    std::vector<Op> body{touching({}, {buffer("first", 79)}), touching({buffer("first", 80)}, {}),
                         touching({}, {buffer("second", 80)}),
                         touching({buffer("second", 80)}, {})};
    EXPECT_THROW(place(declared(body), Bytes(100)), InputError);
    body.front() = touching({}, {buffer("first", 80)});
    EXPECT_EQ(place(declared(body), Bytes(100)).vmem_peak, Bytes(80));
    body.front().work = RowScatter{8, Bytes(10), 8, true};
    EXPECT_THROW(place(declared(body), Bytes(100)), InputError);
}

TEST(BufferPlacement, LetsWhatIsInUseComeAndGoInEachIterationUnlessItIsUsedElsewhere)
{
    const auto body = [](const char* first) {
        return repeat_of(3, {touching({}, {buffer(first, 80)}), touching({buffer(first, 80)}, {}),
                             touching({}, {buffer("second", 50)}),
                             touching({buffer("second", 50)}, {})});
    };
    const auto peak = [](std::vector<Op> ops) {
        OpGraph graph = *graph_of(std::move(ops));
        for (const char* name : {"first", "second"}) {
            graph.buffers.push_back({name, Bytes(name[0] == 'f' ? 80 : 50), Residency::hbm_in_use});
        }
        return place(graph, Bytes(0)).hbm_peak;
    };
    EXPECT_EQ(peak({body("first")}), Bytes(80));
    EXPECT_EQ(peak({repeat_of(2, {body("first")})}), Bytes(80));
    EXPECT_EQ(peak({touching({}, {buffer("first", 80)}), body("first")}), Bytes(130))
        << "every iteration finds it";
    EXPECT_EQ(peak({repeat_of(2, {touching({}, {buffer("first", 80)}), body("first")})}),
              Bytes(130));
    EXPECT_EQ(peak({body("first"), body("first")}), Bytes(130)) << "it outlives the first repeat";
}

TEST(BufferPlacement, LetsOthersTakeItsPlaceInHbmUntilAllOfItIsWrittenAgain)
{
    const auto use = [](const char* name, std::int64_t written) {
        return std::vector<Op>{touching({}, {buffer(name, written)}),
                               touching({buffer(name, written)}, {})};
    };
    const auto joined = [](std::vector<std::vector<Op>> lists) {
        std::vector<Op> all;
        for (std::vector<Op>& list : lists) {
            all.insert(all.end(), list.begin(), list.end());
        }
        return all;
    };
    const auto peak = [](std::vector<Op> ops) {
        OpGraph graph = *graph_of(std::move(ops));
        graph.buffers = {{"first", Bytes(80)}, {"second", Bytes(50)}};
        return place(graph, Bytes(0)).hbm_peak;
    };
    EXPECT_EQ(peak(joined({use("first", 80), use("second", 50), use("first", 80)})), Bytes(80));
    EXPECT_EQ(peak(joined({use("first", 80), use("second", 50), use("first", 40)})), Bytes(130))
        << "half of it is what it was";
    const Op both = repeat_of(3, joined({use("first", 80), use("second", 50)}));
    EXPECT_EQ(peak({both}), Bytes(80));
    EXPECT_EQ(peak({both, both}), Bytes(80)) << "the second repeat does not need the first's";
    EXPECT_EQ(peak({repeat_of(2, {both, both})}), Bytes(80));
    EXPECT_EQ(peak({both, touching({buffer("first", 80)}, {})}), Bytes(130))
        << "what is read after a repeat is there in it from then on";
    const Op carried =
        repeat_of(3, {touching({buffer("first", 80)}, {}), touching({}, {buffer("second", 50)}),
                      touching({buffer("second", 50)}, {}), touching({}, {buffer("first", 80)})});
    EXPECT_EQ(peak({carried}), Bytes(130)) << "an iteration finds what the one before wrote";
}

TEST(BufferPlacement, PeaksWhereMostIsAliveAndNamesItsParts)
{
    const auto graph =
        graph_of({touching({buffer("tables.w", 1000)}, {buffer("gather.rows", 300)}),
                  touching({buffer("gather.rows", 300)}, {buffer("gather.sum", 200)}),
                  touching({buffer("gather.sum", 200)}, {buffer("solve.x", 50)}),
                  touching({buffer("solve.x", 50)}, {})});
    const BufferPlacement placement = place(*graph, Bytes(0));
    EXPECT_EQ(placement.hbm_peak, Bytes(1500));
    EXPECT_EQ(placement.hbm_parts(),
              (std::map<std::string, Bytes>{{"tables", Bytes(1000)}, {"gather", Bytes(500)}}));
}

/// Ops with random reads and writes of 24 buffers of 1 to 24 bytes.
std::shared_ptr<const OpGraph> random_graph(std::mt19937& random, int ops)
{
    const auto some = [&](int most) {
        Uses uses;
        for (auto count = random() % static_cast<unsigned>(most); count > 0; --count) {
            const auto which = static_cast<std::int64_t>(random() % 24);
            uses.push_back(buffer("b" + std::to_string(which), which + 1));
        }
        return uses;
    };
    std::vector<Op> list;
    for (int i = 0; i < ops; ++i) {
        Uses reads = some(4);
        list.push_back(touching(std::move(reads), some(3)));
    }
    return graph_of(std::move(list));
}

/// Bytes alive at each op of the buffers that are, or are not, in VMEM: there from the first use to
/// the last, in HBM not where the next op that uses them only writes them.
std::vector<Bytes> counted(const OpGraph& graph, const BufferPlacement& placement, bool in_vmem)
{
    const std::size_t ops = graph.ops.size();
    std::vector<Bytes> alive(ops);
    for (int which = 0; which < 24; ++which) {
        const std::string name = "b" + std::to_string(which);
        const auto uses = [&](const Uses& list) {
            return std::any_of(list.begin(), list.end(),
                               [&](const BufferUse& use) { return use.buffer == name; });
        };
        std::vector<char> reads(ops);
        std::vector<char> writes(ops);
        for (std::size_t i = 0; i < ops; ++i) {
            reads[i] = uses(graph.ops[i].reads) ? 1 : 0;
            writes[i] = uses(graph.ops[i].writes) ? 1 : 0;
        }
        const bool read = std::count(reads.begin(), reads.end(), 1) > 0;
        const bool written = std::count(writes.begin(), writes.end(), 1) > 0;
        if ((!read && !written) || placement.vmem(name) != in_vmem) {
            continue;
        }
        const auto used = [&](std::size_t i) { return reads[i] == 1 || writes[i] == 1; };
        for (std::size_t i = 0; i < ops; ++i) {
            std::size_t next = i;
            while (next < ops && !used(next)) {
                ++next;
            }
            std::size_t before = 0;
            while (before <= i && !used(before)) {
                ++before;
            }
            const bool between = before <= i && next < ops;
            const bool holds = in_vmem || next == i || (between && reads[next] == 1);
            if (!read || !written || (between && holds)) {
                alive[i] += Bytes(which + 1);
            }
        }
    }
    return alive;
}

TEST(BufferPlacement, HasThePeaksOfCountingAtEveryOp)
{
    std::mt19937 random(7);
    for (const int ops : {1, 2, 3, 17, 64, 100}) {
        const auto graph = random_graph(random, ops);
        const BufferPlacement placement = place(*graph, Bytes(60));
        const std::vector<Bytes> vmem = counted(*graph, placement, true);
        const std::vector<Bytes> hbm = counted(*graph, placement, false);
        EXPECT_EQ(placement.vmem_peak, *std::max_element(vmem.begin(), vmem.end())) << ops;
        EXPECT_LE(placement.vmem_peak, Bytes(60)) << ops;
        EXPECT_EQ(placement.hbm_peak, *std::max_element(hbm.begin(), hbm.end())) << ops;
    }
}

TEST(BufferPlacement, HoldsInHbmWhatNoOpTouches)
{
    const auto between = [](std::vector<Buffer> held) {
        auto graph = std::make_shared<OpGraph>();
        graph->add(touching({buffer("tables.w", 1000)}, {buffer("gather.rows", 300)}));
        graph->add(touching({buffer("gather.rows", 300)}, {}));
        graph->buffers = std::move(held);
        return graph;
    };
    const BufferPlacement without = place(*between({}), Bytes(10'000));
    EXPECT_EQ(without.hbm_peak, Bytes(1000));
    const BufferPlacement with =
        place(*between({{"ahead.rows", Bytes(70), Residency::hbm}}), Bytes(10'000));
    EXPECT_EQ(with.hbm_peak, Bytes(1070));
    EXPECT_EQ(with.in_vmem, without.in_vmem);
    EXPECT_EQ(with.hbm_parts(),
              (std::map<std::string, Bytes>{{"tables", Bytes(1000)}, {"ahead", Bytes(70)}}));
    // A buffer that ops touch as well is there once, and stands in HBM.
    const BufferPlacement same =
        place(*between({{"gather.rows", Bytes(400), Residency::hbm}}), Bytes(10'000));
    EXPECT_FALSE(same.vmem("gather.rows"));
    EXPECT_EQ(same.hbm_peak, Bytes(1400));
}

TEST(BufferPlacement, HoldsWhatTheBodyOfARepeatHolds)
{
    auto body = std::make_shared<OpGraph>();
    body->buffers = {{"ahead", Bytes(7), Residency::hbm}};
    EXPECT_EQ(place(*graph_of({op_of(Repeat{3, "", body})}), Bytes(100)).hbm_peak, Bytes(7));
}

TEST(BufferPlacement, LeavesRoomForTwoDoubleBufferedOperandTiles)
{
    const topologies::Machine machine =
        machine_of("tpu_v3", 8, {{"vmem_bytes_core", 1000}, {"dma_tile_bytes", 100}});
    EXPECT_EQ(usable_vmem(machine.device), Bytes(600));
    EXPECT_EQ(usable_vmem(machine_of("tpu_v3", 8, {{"vmem_bytes_core", 300}}).device), Bytes(0));
}

Program in_a_row(const std::vector<std::shared_ptr<const OpGraph>>& graphs)
{
    Program program;
    for (const auto& graph : graphs) {
        program.push_back({{graph, {}, 1}, 1});
    }
    return program;
}

TEST(MemoryFit, IsThatOfTheHungriestGraphAndNamesItsLargestPart)
{
    const topologies::Machine machine = machine_of("tpu_v3", 8);
    const std::int64_t capacity = machine.device.usable_hbm.count();
    const auto small = graph_of({touching({buffer("tables.w", 10)}, {})});
    const auto large =
        graph_of({touching({buffer("tables.w", 10), buffer("gather.rows", capacity - 10)}, {})});
    const auto too_large =
        graph_of({touching({buffer("tables.w", 11), buffer("gather.rows", capacity - 10)}, {})});
    const MemoryFit fit = memory_fit(in_a_row({small, large}), machine);
    EXPECT_TRUE(fit.fits());
    EXPECT_EQ(fit.needed, fit.capacity);
    EXPECT_EQ(fit.largest_part(), "gather");
    EXPECT_FALSE(memory_fit(in_a_row({small, too_large}), machine).fits());
    EXPECT_EQ(memory_fit({}, machine).largest_part(), "");
}

} // namespace
} // namespace alxsim::model
