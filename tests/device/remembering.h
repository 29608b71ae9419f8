// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/group_source.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// What tests of remembering share: runs with and without it, and what to run.
namespace alxsim::sim {

using model::Counts;
using model::DType;
using model::Op;
using topologies::Machine;

inline Op vector_of(std::int64_t elements, std::vector<int> after = {},
                    const std::string& phase = "solve")
{
    return op_of(model::Vector{elements, 4, DType::f32}, std::move(after), phase);
}

inline Op stream_of(std::int64_t bytes, std::vector<int> after = {})
{
    return op_of(model::stream_of(Bytes(bytes), Bytes(0)), std::move(after), "stream");
}

inline Op collective(std::int64_t bytes, std::vector<int> after = {},
                     model::CollectiveKind kind = model::CollectiveKind::all_reduce)
{
    return op_of(model::Collective{kind, Bytes(bytes)}, std::move(after), "combine");
}

inline SimulationResult run(const Machine& machine, const std::vector<model::Step>& steps,
                            bool remember)
{
    ListedSteps source(steps);
    return Simulator(machine, {remember}).run(source);
}

inline SimulationResult run_groups(const Machine& machine, const model::Program& program,
                                   bool remember)
{
    model::GroupSource source(program);
    return Simulator(machine, {remember}).run(source);
}

/// Expects the same of a run with and one without remembering but the number of activities; returns
/// that without over that with.
inline double skipped(const SimulationResult& with, const SimulationResult& without)
{
    EXPECT_EQ(with.epochs.size(), without.epochs.size());
    for (std::size_t i = 0; i < std::min(with.epochs.size(), without.epochs.size()); ++i) {
        EXPECT_EQ(with.epochs[i].finish, without.epochs[i].finish);
        EXPECT_EQ(with.epochs[i].breakdown.total, without.epochs[i].breakdown.total);
        EXPECT_EQ(with.epochs[i].breakdown.phases, without.epochs[i].breakdown.phases);
        EXPECT_EQ(with.epochs[i].breakdown.shares, without.epochs[i].breakdown.shares);
    }
    for (const char* name : {"ops_executed", "hbm_bytes", "mxu_busy", "vpu_busy", "rows_busy",
                             "hbm_transfers", "collective_wait", "collective_transfer"}) {
        EXPECT_EQ(with.statistics.value(name), without.statistics.value(name)) << name;
    }
    EXPECT_EQ(with.network.messages, without.network.messages);
    EXPECT_EQ(with.network.link_bytes, without.network.link_bytes);
    EXPECT_EQ(with.network.on_chip_bytes, without.network.on_chip_bytes);
    EXPECT_EQ(with.network.link_busy, without.network.link_busy);
    EXPECT_EQ(with.network.links, without.network.links);
    EXPECT_EQ(with.link_utilisation, without.link_utilisation);
    return static_cast<double>(without.statistics.value("activities")) /
           static_cast<double>(with.statistics.value("activities"));
}

inline double skipped(const Machine& machine, const std::vector<model::Step>& steps)
{
    return skipped(run(machine, steps, true), run(machine, steps, false));
}

inline double skipped_groups(const Machine& machine, const model::Program& program)
{
    return skipped(run_groups(machine, program, true), run_groups(machine, program, false));
}

inline double skipped(const Machine& machine, const std::vector<Op>& ops, const Counts& counts = {})
{
    return skipped(machine, {{graph_of(ops), counts, 1}});
}

/// Half of the clock on one device, a bit less than all of it on another.
inline Machine with_slow_cores(Machine machine)
{
    machine.faults.device_speed.assign(static_cast<std::size_t>(machine.devices), 1.0);
    machine.faults.device_speed[static_cast<std::size_t>(machine.devices / 3)] = 0.5;
    machine.faults.device_speed.back() = 0.97;
    return machine;
}

inline std::vector<Machine> machines()
{
    std::vector<Machine> all{machine_of("tpu_v5e", 16), machine_of("tpu_v3", 16),
                             machine_of("tpu_v4", 16), easy_machine(8, "2x4", {false, true})};
    for (std::size_t i = 0; i < 4; ++i) {
        all.push_back(with_slow_cores(all[i]));
    }
    all.push_back(machine_of("tpu_v5e", 16, {{"collectives_overlap_compute", true}}));
    return all;
}

/// Op graphs of all shapes: loops in loops and beside each other, with and without collectives.
/// Every compiler makes the same ones: it may evaluate arguments in any order, so each has one draw
/// at most.
class RandomGraphs {
public:
    explicit RandomGraphs(unsigned seed) : random_(seed) {}

    int number(int least, int most)
    {
        return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
    }

    std::vector<Op> ops(int depth, bool collectives)
    {
        std::vector<Op> ops;
        const int size = number(1, 4);
        for (int i = 0; i < size; ++i) {
            ops.push_back(op(depth, collectives));
            for (int before = 0; before < i; ++before) {
                if (number(0, 2) > 0) {
                    ops.back().after.push_back(before);
                }
            }
        }
        return ops;
    }

private:
    Op op(int depth, bool collectives)
    {
        const int which = number(0, 9);
        if (depth > 0 && which < 3) {
            const bool local = number(0, 2) == 0;
            const char* const counted_as = local && number(0, 1) == 0 ? "cg" : "";
            std::vector<Op> body = ops(depth - 1, collectives && !local);
            return repeat_of(number(0, 12), std::move(body), counted_as);
        }
        if (collectives && which < 6) {
            constexpr std::array kinds{
                model::CollectiveKind::all_reduce, model::CollectiveKind::all_gather,
                model::CollectiveKind::reduce_scatter, model::CollectiveKind::all_to_all};
            const model::CollectiveKind kind = kinds[static_cast<std::size_t>(number(0, 3))];
            return collective(1 << number(6, 18), {}, kind);
        }
        return which % 2 == 0 ? vector_of(1 << number(8, 24)) : stream_of(number(1, 300'000));
    }

    std::mt19937 random_;
};

} // namespace alxsim::sim
