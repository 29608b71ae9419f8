// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "model/member_times.h"
#include "model/numbered_breakdown.h"
#include "model/places.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

namespace alxsim::model {

/// What the graphs of one estimate share.
struct EstimateContext {
    const topologies::Machine& machine;
    const Counts& counts;
    Places places; ///< of the devices that are told apart, the members
    std::map<const CollectiveSchedule*, MemberPlan> plans = {};

    const MemberPlan& plan_of(const CompiledOp& op);
};

/// List scheduling of one graph on the units of each member, in the order in which the simulator's
/// sequencer issues: whatever can start first, ties by program order. Members meet in collectives.
class GraphEstimate {
public:
    /// `starts`: [member]
    GraphEstimate(const CompiledGraph& graph, EstimateContext& context,
                  std::vector<Picoseconds> starts);

    /// [member]
    const std::vector<Picoseconds>& finishes() const { return finishes_; }

    /// The critical path's parts, walked back from the op that finishes last; of nothing, nothing.
    NumberedBreakdown breakdown() const;

private:
    static constexpr int nobody = -1;

    /// What an op takes by itself, and how it is filed.
    struct TimedOp {
        Picoseconds launch{0}; ///< the host's
        Picoseconds fill{0};   ///< the HBM's
        Picoseconds body{0};
        Share share = Share::hbm; ///< of the body
        int turns = nobody;       ///< of a repeat: index into turns_
    };

    struct Slot {
        int waiting = 0; ///< for so many predecessors
        Picoseconds ready{0};
        int released_by = nobody; ///< op
        Picoseconds start{0};
        int held_up_by = nobody; ///< op whose finish let it start
        Picoseconds finish{0};
        int member = 0; ///< whose start the finish counts from
    };
    struct UnitState {
        int holders = 0;
        bool by_collectives = false;
        Picoseconds released_at{0};
        int released_by = nobody;
    };
    template <class T>
    using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;
    struct Member {
        std::array<UnitState, working_units> units;
        std::array<Earliest<int>, unit_groups> ready; ///< ops, by what they wait for
    };
    struct Finish {
        Picoseconds time{0};
        std::uint64_t order = 0;
        int member = 0;
        int op = 0;

        bool operator>(const Finish& other) const
        {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    /// A collective, or a repeat with some, under way.
    struct Meeting {
        std::unique_ptr<MemberTimes> times;
        std::vector<Picoseconds> entered; ///< [member]; of a repeat
        int members = 0;
    };

    void run();
    void make_ready(int member, int op);
    bool can_start(const Member& member, std::size_t group) const;
    void issue(int member, Picoseconds now);
    void start(int member, int op, Picoseconds now);
    void hold_units(int member, int op, Picoseconds now);
    void complete(int member, int op, Picoseconds now);
    void release(int member, int op, int by, Picoseconds now);
    void finish_at(int member, int op, Picoseconds time);
    void enter_collective(int member, int op, Picoseconds now);
    void enter_repeat(int member, int op, Picoseconds now);

    TimedOp time_of(const CompiledOp& op);
    TimedOp time_of_turns(const CompiledOp& op);
    Picoseconds total_of(int op) const;
    void add_time(int op, NumberedBreakdown& sum) const;
    void add_slot(int member, int op, NumberedBreakdown& sum) const;
    Picoseconds hbm_busy(const CompiledOp& op) const;
    void keep_the_hbm_busy();

    Slot& slot(int member, int op)
    {
        return slots_[static_cast<std::size_t>(member) * ops_ + static_cast<std::size_t>(op)];
    }
    const Slot& slot(int member, int op) const
    {
        return slots_[static_cast<std::size_t>(member) * ops_ + static_cast<std::size_t>(op)];
    }
    const CompiledOp& compiled(int op) const { return graph_.ops[static_cast<std::size_t>(op)]; }

    const CompiledGraph& graph_;
    EstimateContext& context_;
    std::size_t ops_;
    double slowest_speed_;
    std::vector<Picoseconds> starts_;
    std::vector<Picoseconds> finishes_;
    std::vector<TimedOp> times_; ///< [op]
    std::vector<NumberedBreakdown>
        turns_;                       ///< of repeats: of all turns, or of one where members meet
    std::vector<std::size_t> groups_; ///< [op]: unit_group
    std::vector<Slot> slots_;         ///< [member][op]
    std::vector<Member> members_;
    std::map<int, Meeting> meetings_; ///< by op
    Earliest<Finish> calendar_;
    std::uint64_t order_ = 0;
    Picoseconds waiting_for_hbm_{0}; ///< after the critical path
    int heaviest_ = 0;               ///< phase of the op that keeps the HBM busy longest
};

} // namespace alxsim::model
