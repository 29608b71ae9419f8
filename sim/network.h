// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/moments.h"
#include "model/collectives/on_chip_paths.h"
#include "model/collectives/replays/even_collective.h"
#include "model/collectives/role_meetings.h"
#include "sim/collective_replay.h"
#include "sim/collective_run.h"
#include "sim/memo/collective_memo.h"
#include "sim/network_counters.h"
#include "sim/network_use.h"
#include "sim/observe/observer.h"
#include "sim/observe/statistics.h"
#include "sim/own_process.h"
#include "sim/packet_network.h"
#include "topologies/machine.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// What a device learns when a collective is over for it.
struct CollectiveDone {
    Picoseconds last_arrival{0}; ///< when the last member had arrived
    ActivityRef last_cause;      ///< what that member had waited for
};

/// The collectives of a slice, carried by its routers, links and on-chip paths. The devices of a
/// chip share its links and take turns on them, packet by packet; all that is under way contends. A
/// collective that finds the network quiet, with all devices ready after each other as they were
/// before, goes as it went then and need not be simulated again. One with which nobody can be done
/// before all are ready waits for that: see network_held.cpp.
class Network : public sc_core::sc_module,
                public StatisticsSource,
                private MessageCarrier,
                private MessageReceiver {
public:
    /// `remember` off: every collective is simulated. `observer`: who looks closely, if anybody.
    /// `one_chip`: the machine is of chips that tell what those of a slice do (sim/one_chip.h), as
    /// collectives are replayed; what goes over links is not counted.
    Network(const sc_core::sc_module_name& name, const topologies::Machine& machine,
            bool remember = true, Observer* observer = nullptr, bool one_chip = false);
    ~Network() override;

    /// `device` enters its next collective along the axes of `schedule` (of those along the same
    /// axes, the n-th call of every device is the same collective); it can send from `ready` on.
    /// `done` is called when the device has its result. Throws std::logic_error where devices enter
    /// different ones. `meeting`, if not null: only those that take part in it enter, and the n-th
    /// time that each does is the same collective.
    void enter(int device, const std::shared_ptr<const model::CollectiveSchedule>& schedule,
               Picoseconds arrival, Picoseconds ready, ActivityRef cause,
               std::function<void(const CollectiveDone&)> done,
               const model::RoleMeeting* meeting = nullptr);

    /// Collectives without a launch will come.
    void expect_no_launches();

    /// No collective is under way, and nothing of a past one.
    bool idle() const { return instances_.empty() && packets_.idle(); }
    /// How often messages of two collectives met on a link or path, or went by themselves from
    /// router to router. As long as this does not change, no collective has disturbed another.
    std::int64_t encounters() const { return packets_.encounters() + on_chip_.encounters(); }
    NetworkCounters counters() const;
    /// What was done from `before` to `after` is done `times` more, from `start` to `finish`.
    void repeat(const NetworkCounters& before, const NetworkCounters& after, std::int64_t times,
                Picoseconds start, Picoseconds finish);
    NetworkUse use() const;
    /// Collectives that were not simulated.
    std::int64_t remembered() const { return remembered_; }
    /// How those under way stand in counters(): with all their messages, none, or those sent.
    struct Counting {
        int whole = 0;
        int not_yet = 0;

        bool operator==(const Counting& other) const
        {
            return whole == other.whole && not_yet == other.not_yet;
        }
    };
    Counting counting() const;
    /// Those that devices waited for which have entered collectives under way.
    void add_live_activities(std::vector<ActivityRef>& live) const;
    void declare_statistics(Statistics& statistics) const override;
    /// Throws ChipsDiffer if one chip did not tell what all do.
    void rethrow_failure() const;

private:
    struct Instance;
    void declare_links(const NetworkCounters& counted, Statistics& statistics) const;
    struct Event {
        std::uint64_t packed = 0; ///< a CollectiveEvent
        Instance* instance = nullptr;
    };

    void carry(int from, int to, int along, Bytes bytes, const CollectiveEvent& event) override;
    void carry_on_chip(int from, int to, Bytes bytes, const CollectiveEvent& event);
    void received(const std::vector<MessageTag>& messages) override;

    void deliver();
    void handle_moment();
    void post(Picoseconds time, Instance& instance, const CollectiveEvent& event);
    void handle(Instance& instance, const CollectiveEvent& event);
    void enter_now(Instance& instance, int device);
    void start_now(Instance& instance, int device);
    void finish(Instance& instance, int device);

    bool can_be_remembered(const Instance& instance) const;
    void begin(Instance& instance);
    void go_as_remembered(Instance& instance, const RememberedCollective& known);
    void keep(Instance& instance);
    CollectiveMemo::Course predict(const Instance& instance);
    RememberedCollective course_of(const model::EvenCollective& collective) const;

    bool can_be_held(const Instance& instance) const;
    bool is_known_apart(const Instance& instance) const;
    void foretell(Instance& instance);
    CollectiveMemo::Course replay(const Instance& instance);
    NetworkCounters traffic_of(const CollectiveReplay& of) const;
    void add_loads(const std::vector<std::array<model::AxisLoad, 2>>& loads, int chip,
                   NetworkCounters& counters) const;
    void post_finishes(Instance& instance, const RememberedCollective& course);
    void let_go();
    bool another_begins(const Instance& instance) const;
    void catch_up();
    void give_up(Instance& instance);
    Picoseconds time() const;
    void note_repeated(const NetworkCounters& before, const NetworkCounters& after,
                       std::int64_t times, Picoseconds start, Picoseconds finish) const;

    const PreparedSchedule&
    prepared(const std::shared_ptr<const model::CollectiveSchedule>& schedule);
    void forget_dead_schedules();
    Instance& new_instance(const std::shared_ptr<const model::CollectiveSchedule>& schedule);
    Instance& instance_for(int device,
                           const std::shared_ptr<const model::CollectiveSchedule>& schedule,
                           const model::RoleMeeting* meeting);

    const topologies::Slice slice_;
    model::DeviceGrid grid_;
    PacketNetwork packets_;
    Picoseconds launch_; ///< no device is ready sooner after it has entered, where all are launched
    bool remember_;
    const bool one_chip_;
    bool given_up_ = false; ///< nothing is carried any more
    bool links_alike_;      ///< and kept full by their buffers
    Observer* const observer_;
    model::OnChipPaths on_chip_;
    Bytes on_chip_bytes_{0};
    std::int64_t messages_ = 0;
    std::map<const model::CollectiveSchedule*, std::unique_ptr<PreparedSchedule>> prepared_;
    CollectiveMemo memo_;
    std::int64_t remembered_ = 0;
    std::int64_t predicted_ = 0; ///< of them
    std::int64_t replayed_ = 0;  ///< of them
    std::int64_t disturbed_ = 0; ///< collectives that were held in vain
    NetworkCounters repeated_;
    std::map<std::int64_t, std::unique_ptr<Instance>> instances_; ///< by number
    std::int64_t next_number_ = 0;
    std::vector<std::unique_ptr<Instance>> spare_;
    Instance* carrying_ = nullptr;    ///< the one whose messages are being sent
    bool of_one_ = false;             ///< this moment's events: of one collective
    Instance* held_ = nullptr;        ///< the one that is held, of which nothing has been sent
    std::optional<Picoseconds> past_; ///< while the links catch up: how far they are
    std::map<const PreparedSchedule*, std::unique_ptr<CollectiveReplay>> replays_;
    /// Collectives along the same axes, in the order in which every device enters them.
    struct Sequence {
        std::vector<std::int64_t> entered;      ///< [device]: how many
        std::map<std::int64_t, Instance*> open; ///< by place in the sequence: not all are in it yet
    };
    std::map<std::vector<int>, Sequence> sequences_; ///< by axes
    /// Those of which none is open are forgotten: another meeting may get its address.
    std::map<const model::RoleMeeting*, Sequence> meetings_;
    model::Moments<Event> moments_;
    sc_core::sc_event next_;
    OwnProcess process_;
};

} // namespace alxsim::sim
