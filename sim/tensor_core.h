// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/host_link.h"
#include "model/held_units.h"
#include "sim/alarms.h"
#include "sim/device_work.h"
#include "sim/latest.h"
#include "sim/memo/loop_memo.h"
#include "sim/memory/hbm.h"
#include "sim/memory/host_drives.h"
#include "sim/network.h"
#include "sim/observe/observers.h"
#include "sim/observe/statistics.h"
#include "sim/program_order.h"
#include "sim/step_feed.h"

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// What a device is connected to.
struct DeviceLinks {
    StepFeed& feed;
    Observers& observers;
    Alarms& alarms;
    Hbm& hbm;
    HostDrives& drives;
    Network& network;
    ProgramOrder& order;
    LoopMemo* loops = nullptr; ///< null: every iteration is simulated
};

/// One device: a sequencer that issues the ops of a step to MXU, VPU, DMA and network as soon as
/// what they wait for has finished and their unit is free; among several, in program order, or in
/// that which an earlier device chose (ProgramOrder). Collectives hold their units together. An op
/// that moves HBM bytes runs them through the chip's HBM while its unit works; it is over when both
/// are. The next step starts when all ops of the last one are done and the host has dispatched it.
/// Iterations of a loop that has become periodic are skipped, which changes no time. Left out:
/// instruction issue within an op, VMEM port conflicts.
class TensorCore : public sc_core::sc_module, public StatisticsSource, private Sleeper {
public:
    TensorCore(const sc_core::sc_module_name& name, int device, const topologies::Machine& machine,
               DeviceLinks links);

    bool finished() const { return finished_; }
    /// For an error message: what the device waits for.
    std::string waiting_for() const;
    /// What it may yet tell to have waited for.
    void add_live_activities(std::vector<ActivityRef>& live) const;
    void declare_statistics(Statistics& statistics) const override;

private:
    /// The beginning of an iteration.
    struct Begun {
        ActivityRef control; ///< the overhead before it
        DeviceWork work;     ///< done until then
    };
    /// A graph being run: the step's, or one iteration of a repeat's body.
    struct Frame {
        const model::CompiledGraph* graph = nullptr;
        std::vector<int> waiting; ///< per op, predecessors not yet finished
        int unfinished = 0;
        std::size_t synchronous = 0; ///< collectives of the graph's that have begun
        int parent = -1;             ///< frame and op of the repeat, or -1
        int parent_op = 0;
        std::int64_t iterations_left = 0;
        ActivityRef last; ///< what finished last in it
        LoopMemo::Loop* loop = nullptr;
        bool reported = false; ///< the iteration, to the loop's memo; not yet begun
        bool follows = false;  ///< the iteration before was reported
        /// The last iterations of a loop that may become periodic.
        Latest<Begun, LoopMemo::longest_cycle + 1> begun;
    };
    /// Equal steps in a row, as a loop.
    struct StepLoop {
        LoopMemo::Loop* loop = nullptr; ///< null: they are too few, or nothing may be skipped
        std::int64_t first = 0;         ///< step
        bool infeed = false;
        std::int64_t again = 0; ///< how often the current step comes once more
        /// The last steps; controlled by the wait for dispatch.
        Latest<Begun, LoopMemo::longest_cycle_of_steps + 1> begun;
    };
    struct ReadyOp {
        int frame = 0;
        int op = 0;
        int place = 0; ///< in program order
        Picoseconds since{0};
        ActivityRef cause;
    };
    struct Sooner {
        bool operator()(const ReadyOp& a, const ReadyOp& b) const { return a.place > b.place; }
    };
    using ReadyOps = std::priority_queue<ReadyOp, std::vector<ReadyOp>, Sooner>;
    /// An op that has been issued.
    struct Running {
        int frame = 0;
        int op = 0;
        bool used = false;
        std::uint8_t group = model::no_unit; ///< the units that it holds
        Picoseconds start{0};
        Picoseconds unit_done{0};
        ActivityRef cause;
        std::uint64_t order = 0; ///< of what happens when its unit is done
        // For a collective:
        bool moving = false; ///< bytes of its own, which have not all moved
        bool met = false;    ///< all is sent and received
        CollectiveDone done = {};
    };
    enum class Alarm : std::uint8_t {
        start_step,
        start_iteration,
        resume_iteration, ///< after skipped ones
        start_dma,
        unit_done
    };
    struct Timer {
        Picoseconds time{0};
        std::uint64_t order = 0;
        Alarm alarm = Alarm::unit_done;
        int subject = 0; ///< a running op, or a frame
    };
    struct Later {
        bool operator()(const Timer& a, const Timer& b) const
        {
            return a.time != b.time ? a.time > b.time : a.order > b.order;
        }
    };
    using Units = model::HeldUnits<ActivityRef>;

    template <class T>
    static int take_slot(std::vector<T>& slots, std::vector<int>& spare)
    {
        if (spare.empty()) {
            slots.emplace_back();
            return static_cast<int>(slots.size()) - 1;
        }
        const int slot = spare.back();
        spare.pop_back();
        return slot;
    }

    void wake() override { act(); }
    void act();
    void go_on();
    void act_if_due();
    void ring(const Timer& timer);
    void set_timer(Picoseconds time, Alarm alarm, int subject)
    {
        set_timer({time, order_++, alarm, subject});
    }
    void set_timer(const Timer& timer);
    void set_alarm();

    void enter_next_step();
    void start_step(int frame);
    void leave_step();
    void report_step();
    void skip_steps(int frame, const LoopMemo::Skip& skip);

    int open_frame(const model::CompiledGraph& graph, int parent, int parent_op,
                   std::int64_t iterations);
    void start_frame(int frame, ActivityRef cause);
    void close_frame(int frame);

    void issue_ready_ops();
    void add_ready(int frame, int op, ActivityRef cause);
    /// The group whose first ready op is first in program order of those in `groups`.
    std::size_t first_of(model::UnitGroups groups) const;
    std::size_t next_of(model::UnitGroups groups) const;
    void keep_order(const ReadyOp& begun, std::size_t group);

    void issue(const ReadyOp& ready, std::size_t group);
    void issue_local(int running);
    void issue_infeed(int running);
    void issue_storage(int running);
    void stored(int running);
    void issue_collective(int running);
    void move_aside(const Running& running, const model::CollectiveTraffic& traffic);
    void communicated(int running, const CollectiveDone& done);
    void note_use(const Running& running, Picoseconds met);
    void settle_use();
    bool is_computing() const;
    void finish_collective(int running);
    void begin_repeat(int frame, int op, ActivityRef cause);
    void begin_iteration(int frame, ActivityRef cause);
    bool at_rest() const;
    void report_iteration(Frame& frame);
    void start_iteration(int frame);
    void skip(int frame, const LoopMemo::Skip& skip);
    template <class AllBegun>
    ActivityRef leave_out(const OpRun& run, const AllBegun& begun, const LoopMemo::Skip& skip);

    Picoseconds hbm_until() const;
    OpRun run_of(int frame, int op, Picoseconds start) const;
    Picoseconds dma_start(const Running& running, const model::OpCost& cost) const;
    void note_transfer(int running);
    void transferred(int running);
    void work_done(int running);
    void finish_running(int running, const model::Activity& activity, ActivityRef cause);
    void release(int frame, int op, ActivityRef by);
    void op_finished(int frame, int op, ActivityRef activity);
    model::Activity activity_of(const Running& running) const;
    const model::CompiledOp& compiled(int frame, int op) const;

    int device_;
    const topologies::Machine& machine_;
    DeviceLinks links_;
    Observer* const observer_; ///< null if nobody looks closely
    model::HostLink host_;
    double speed_; ///< of its clock
    int dispatch_phase_;

    std::int64_t step_index_ = -1;
    const ActiveStep* step_ = nullptr;
    int epoch_ = 0; ///< 0 before the first
    Picoseconds left_last_step_{0};
    ActivityRef last_activity_;
    StepLoop steps_;
    bool finished_ = false;

    std::vector<Frame> frames_;
    std::vector<int> spare_frames_;
    std::vector<Running> running_;
    std::vector<int> spare_running_;
    std::array<ReadyOps, model::unit_groups> ready_; ///< by what they wait for
    model::UnitGroups ready_groups_ = 0;             ///< of which there are any
    std::vector<Timer> timers_;                      ///< heap
    std::uint64_t order_ = 0;
    Units units_;
    DeviceWork work_;
    model::DeviceUseMeter meter_;
    int communicating_ = 0;                  ///< collectives under way
    model::DeviceUse use_of_earlier_epochs_; ///< of `work_`
    int role_ = Observers::no_role;          ///< its own in the current step, or the last one
    Picoseconds hbm_until_{0};               ///< when its last byte to or from HBM had moved
    int moving_aside_ = 0;                   ///< transfers that no op of its own waits for
    bool issuing_ = false;
    const int alarm_;
};

} // namespace alxsim::sim
