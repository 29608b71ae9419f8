// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "model/estimate.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace alxsim::model {

/// Compiles graphs for one machine, each once as long as it is remembered: `most_programs` of them,
/// and none that nobody else holds any more. Their collectives share one ScheduleBook.
class ProgramCache {
public:
    static constexpr std::size_t most_programs = 128;

    ProgramCache(const topologies::Machine& machine, PhaseNames& phases,
                 ScheduleTimes times = ScheduleTimes::exact)
        : ProgramCache(machine, phases, std::make_shared<ScheduleBook>(machine, times))
    {
    }
    /// With a book that goes by `machine`, as long as the cache uses it.
    ProgramCache(const topologies::Machine& machine, PhaseNames& phases,
                 std::shared_ptr<ScheduleBook> schedules)
        : machine_(&machine),
          memory_(machine),
          orders_{Order(machine)},
          phases_(phases),
          schedules_(std::move(schedules)),
          streams_(machine.hbm)
    {
    }

    /// The caller keeps `graph` alive while it uses the result, which points into it. Throws
    /// InputError as compile().
    std::shared_ptr<const CompiledGraph> compiled(const std::shared_ptr<const OpGraph>& graph);
    /// What is known of a step of a compiled graph whose data have no counts: nothing yet, on a
    /// machine that is new. While the graph is remembered.
    std::optional<NumberedStepEstimate>&
    estimate_without_counts(const std::shared_ptr<const OpGraph>& graph)
    {
        return kept(graph).estimate;
    }
    /// Where its buffers stand, while it is remembered. Throws InputError as place().
    const BufferPlacement& placement(const std::shared_ptr<const OpGraph>& graph);

    /// From now on for `machine`: what was compiled before is no longer valid. Graphs of machines
    /// that differ in numbers alone, as draws do, are placed and ordered once.
    void use(const topologies::Machine& machine);

    /// Forgets graphs that are large, or follow the data of one job; of those with roles, all but
    /// the latest.
    void keep_what_others_may_ask_for();

    std::size_t size() const { return programs_.size(); }
    const ScheduleBook& schedules() const { return *schedules_; }

private:
    /// What the order of a graph's ops goes by, beside their costs.
    struct Order {
        explicit Order(const topologies::Machine& machine);
        bool operator==(const Order& other) const;

        std::vector<topologies::Axis> axes;
        bool twisted = false;
        int devices = 1;
        int devices_per_chip = 1;
        std::array<bool, 4> overlap{}; ///< of collectives with compute, by kind
    };
    /// What a placement goes by.
    struct Memory {
        explicit Memory(const topologies::Machine& machine);
        bool operator==(const Memory& other) const;

        Bytes vmem{0}; ///< usable
        bool keeps_arrays_in_vmem = true;
    };
    struct Kept {
        std::shared_ptr<const OpGraph> graph;  ///< lest another graph gets its address
        std::shared_ptr<const OpGraph> before; ///< that `compiled` is ordered for, or null
        BufferPlacement placement;
        std::shared_ptr<CompiledGraph> compiled;
        bool is_compiled = false; ///< else `compiled` is null, or what is left of another graph
        std::size_t order = 0;    ///< of `before`: index into orders_
        std::int64_t last_used = 0;
        std::int64_t machine = 0;                     ///< the how-manieth it has the costs of
        std::optional<NumberedStepEstimate> estimate; ///< on that machine
    };
    using Programs = std::map<const OpGraph*, Kept>;
    static constexpr std::size_t most_spare = 16;
    static constexpr std::size_t most_ops_kept = 200;
    static constexpr std::size_t most_ops_of_roles_kept = 1 << 15; ///< of all graphs with roles
    static constexpr std::size_t most_orders = 16;

    Kept& kept(const std::shared_ptr<const OpGraph>& graph);
    /// Memory for a graph with so many ops: of one that was ordered as here, if there is such.
    std::vector<Programs::node_type>::iterator spare_for(const OpGraph& graph);
    void compile_anew(Kept& program);
    /// Index into orders_.
    std::size_t number_of(Order order);
    void make_room();
    /// Forgets a program, whose memory another takes over; returns the one after it.
    Programs::iterator forget(Programs::iterator program);

    const topologies::Machine* machine_;
    Memory memory_;
    std::vector<Order> orders_; ///< of machines so far
    std::size_t order_ = 0;     ///< of this one
    std::int64_t machines_ = 0; ///< before this one
    PhaseNames& phases_;
    std::shared_ptr<ScheduleBook> schedules_;
    StreamRates streams_; ///< of the machine's memory
    Programs programs_;
    std::vector<Programs::node_type> spare_; ///< that nobody holds
    std::int64_t uses_ = 0;
};

} // namespace alxsim::model
