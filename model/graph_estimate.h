// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/member_times.h"
#include "model/collectives/places.h"
#include "model/compiled_graph.h"
#include "model/costs/numbered_breakdown.h"
#include "model/hbm/shared_rates.h"
#include "model/held_units.h"
#include "model/ready_ops.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::model {

/// What the graphs of one estimate share.
struct EstimateContext {
    const topologies::Machine& machine;
    const Counts& counts;
    Places places;          ///< of the devices that are told apart, the members
    bool tells_use = false; ///< whether breakdowns have a DeviceUse
    std::map<const CollectiveSchedule*, MemberPlan> plans = {};
    /// Times of one turn of bodies that several repeats of a role share.
    std::map<const CompiledGraph*, NumberedBreakdown> turns = {};
    std::map<const CompiledGraph*, Picoseconds> hbm_busy = {}; ///< likewise

    const MemberPlan& plan_of(const CompiledOp& op);
};

/// Times a graph whose devices are all alike. Iterations of a repeat that others run beside share
/// the units with them, one by one.
NumberedBreakdown time_of_one_device(const CompiledGraph& graph, EstimateContext& context);

/// List scheduling of one graph on the units of each member, in the order in which the simulator's
/// sequencer issues: whatever can start first, ties by program order. Members meet in collectives.
class GraphEstimate {
public:
    /// `starts`: [member]
    GraphEstimate(const CompiledGraph& graph, EstimateContext& context,
                  std::vector<Picoseconds> starts);
    /// Each member is a role and has a graph of its own, of whose repeats none holds collectives of
    /// several roles. `devices`: of each.
    GraphEstimate(const std::vector<std::shared_ptr<const CompiledGraph>>& roles,
                  std::vector<int> devices, EstimateContext& context);

    Picoseconds finish_of(int member) const { return at(member).finish; }

    /// The critical path's parts, walked back from the op that finishes last; of nothing, nothing.
    /// With what a device does beside its work in the mean, if the context says so.
    NumberedBreakdown breakdown() const;

private:
    static constexpr int nobody = -1;

    /// What an op takes by itself, and how it is filed.
    struct TimedOp {
        Picoseconds launch{0}; ///< the host's
        Picoseconds fill{0};   ///< the HBM's
        Picoseconds body{0};
        Share share = Share::hbm;    ///< of the body
        int turns = nobody;          ///< of a repeat: index into turns_
        std::size_t group = no_unit; ///< what it waits for
    };

    struct Slot {
        int waiting = 0; ///< for so many predecessors
        Picoseconds ready{0};
        int released_by = nobody; ///< op
        Picoseconds start{0};
        int held_up_by = nobody; ///< op whose finish let it start
        Picoseconds finish{0};
        int member = 0; ///< whose start the finish counts from,
        int op = 0;     ///< and that member's op
    };
    template <class T>
    using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;
    struct Member {
        const CompiledGraph* graph = nullptr;
        const CompiledOp* ops = nullptr;
        const TimedOp* times = nullptr; ///< of its ops
        Slot* slots = nullptr;          ///< likewise
        std::size_t first_slot = 0;     ///< of its ops
        std::size_t first_time = 0;     ///< likewise; one for all members that have the same graph
        Picoseconds begin{0};
        Picoseconds finish{0};
        Picoseconds waiting_for_hbm{0}; ///< after the critical path, in `finish`
        int heaviest = 0;               ///< phase of the op that keeps the HBM busy longest
        HeldUnits<int> units;
        ReadyOps ready;
        /// Null: no collective moves bytes beside its ops, each of which takes what it does alone.
        std::unique_ptr<SharedRates> hbm;
        Picoseconds hbm_next{-1}; ///< when the next transfer is over, as the calendar has it
    };
    enum class Event : std::uint8_t { finish, start_transfer, transferred };
    struct Finish {
        Picoseconds time{0};
        std::uint64_t order = 0;
        int member = 0;
        int op = 0; ///< nobody: the member begins, or its next transfer is over
        Event event = Event::finish;

        bool operator>(const Finish& other) const
        {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    /// A collective, or a repeat with some, under way.
    struct Meeting {
        std::unique_ptr<MemberTimes> times;
        std::vector<Picoseconds> entered; ///< [member]; of a repeat or of roles
        std::vector<int> ops;             ///< [member]: its own; of roles, nobody before it enters
        int members = 0;
    };
    /// Where roles meet and the how-manieth time; else nothing, and the op.
    using MeetingKey = std::pair<const RoleMeeting*, int>;

    void add_times(const CompiledGraph& graph);
    bool occupies_units(const CompiledGraph& body) const;

    void run();
    void begin(int member);
    void make_ready(int member, int op);
    void issue(int member, Picoseconds now);
    void start(int member, int op, Picoseconds now);
    bool meets_others(const CompiledOp& op) const;
    bool shares_hbm(int member, int op) const;
    void start_beside_collectives(int member, int op, Picoseconds now);
    void start_transfer(int member, int op, Picoseconds now);
    void end_transfers(int member, Picoseconds now);
    void wait_for_transfers(int member);
    void hold_units(int member, int op, Picoseconds now);
    void complete(int member, int op, Picoseconds now);
    void release(int member, int op, int by, Picoseconds now);
    void finish_at(int member, int op, Picoseconds time);
    void enter_collective(int member, int op, Picoseconds now);
    void enter_meeting(int member, int op, Picoseconds now);
    void leave_meeting(const Meeting& meeting, int role,
                       const std::vector<RoleMeeting::Wait>& waits);
    void enter_repeat(int member, int op, Picoseconds now);

    TimedOp time_of(const CompiledOp& op);
    TimedOp time_of_turns(const CompiledOp& op);
    NumberedBreakdown time_of_turn(const CompiledGraph& body);
    Picoseconds total_of(int member, int op) const;
    void add_time(int member, int op, NumberedBreakdown& sum) const;
    void add_slot(int member, int op, NumberedBreakdown& sum) const;
    Picoseconds hbm_busy(const CompiledOp& op);
    Picoseconds hbm_busy_in(const CompiledGraph& body) const;
    void keep_the_hbm_busy();
    NumberedBreakdown path() const;
    DeviceUse use_of(int member) const;
    DeviceUse mean_use(Picoseconds total) const;

    Member& at(int member) { return members_[static_cast<std::size_t>(member)]; }
    const Member& at(int member) const { return members_[static_cast<std::size_t>(member)]; }
    Slot& slot(int member, int op) { return at(member).slots[op]; }
    const Slot& slot(int member, int op) const { return at(member).slots[op]; }
    const CompiledOp& compiled(int member, int op) const { return at(member).ops[op]; }
    const TimedOp& timed(int member, int op) const { return at(member).times[op]; }

    EstimateContext& context_;
    bool members_are_roles_ = false;
    double slowest_speed_;
    std::vector<TimedOp> times_; ///< [op] of one graph after the other
    std::vector<NumberedBreakdown>
        turns_;                   ///< of repeats: of all turns, or of one where members meet
    std::vector<DeviceUse> uses_; ///< likewise: of all turns
    /// For roles, whose repeats often are the same, the index into both, by body, phase, launch,
    /// turns.
    std::map<std::tuple<const CompiledGraph*, int, Picoseconds, std::int64_t>, int> alike_;
    std::vector<int> devices_; ///< [member], of roles
    std::vector<Slot> slots_;  ///< [member][op]
    std::vector<Member> members_;
    std::map<MeetingKey, Meeting> meetings_;
    std::map<MeetingKey, int> met_; ///< by meeting and member: how often
    Earliest<Finish> calendar_;
    std::uint64_t order_ = 0;
};

} // namespace alxsim::model
