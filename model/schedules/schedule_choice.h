// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"
#include "model/collectives/network_numbers.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::model {

/// How schedules are timed: message by message, or by closed_form_time() for the sake of speed.
enum class ScheduleTimes { exact, closed_form };

/// The ways to run `collective` that are worth a comparison, the usual one first: what the TPU
/// compiler takes, where it is asked for and known (model/xla), else those of all families that
/// apply (schedule_families.h); of a group of one device, one that does nothing.
/// Colours or directions that the op asks for leave out what does not have them. `times`:
/// how they will be compared. Throws InputError as make_schedule().
std::vector<CollectiveSchedule> candidate_schedules(const Collective& collective,
                                                    const topologies::Machine& machine,
                                                    ScheduleTimes times = ScheduleTimes::exact);

/// The same in a group of one's own. Throws InputError for options that it does not have.
std::vector<CollectiveSchedule> candidates_in(const Collective& collective,
                                              const CollectiveGroup& group,
                                              const topologies::Machine& machine,
                                              ScheduleTimes times = ScheduleTimes::exact);

/// A schedule and how long it takes by itself.
struct TimedSchedule {
    std::shared_ptr<const CollectiveSchedule> schedule;
    Picoseconds time{0};
};

/// The quickest of candidates_in().
TimedSchedule quickest_in(const Collective& collective, const CollectiveGroup& group,
                          const topologies::Machine& machine, ScheduleTimes times);

class SizedSchedules;

/// Chooses schedules on one machine; equal collectives are looked at once and share theirs. Those
/// with messages of their own are as large as these: the last few are kept.
class ScheduleBook {
public:
    explicit ScheduleBook(const topologies::Machine& machine,
                          ScheduleTimes times = ScheduleTimes::exact)
        : machine_(&machine),
          times_(times)
    {
    }
    /// On no machine yet: use() comes first.
    explicit ScheduleBook(ScheduleTimes times = ScheduleTimes::exact) : times_(times) {}

    TimedSchedule best(const Collective& collective);

    /// From now on chooses on `machine`; schedules of the one before are no longer valid. Where the
    /// network's axes differ in rates and latencies alone, as those of draws do, and the same links
    /// are faulty, candidates are not built again; where they differ in nothing, nothing is chosen
    /// again.
    void use(const topologies::Machine& machine);

    /// Phases of all the candidates that it built so far: what choosing takes, mostly.
    std::int64_t phases_built() const { return phases_built_; }

private:
    /// Kind, bytes, colours, directions, algorithm, choice, type, axes, ranks, across chips, root,
    /// whether ranks keep their order, messages and their order, mesh (kept, lest others get their
    /// address).
    using Key = std::tuple<
        CollectiveKind, std::int64_t, int, int, ScheduleAlgorithm,
        std::optional<topologies::ScheduleChoice>, DType, std::vector<std::string>,
        std::vector<int>, bool, int, bool, std::shared_ptr<const std::vector<PairMessage>>,
        std::shared_ptr<const std::vector<std::vector<int>>>, std::shared_ptr<const Mesh>>;
    static constexpr std::size_t most_without_messages = 4096;
    static constexpr std::size_t fewest_with_messages = 16;
    static constexpr std::size_t most_messages = 1 << 14; ///< together, beyond these
    static constexpr std::size_t most_sized = 64;

    struct Choice {
        TimedSchedule best;
        /// Empty: they go by more than the network's axes, and the next machine has others.
        std::vector<std::shared_ptr<CollectiveSchedule>> candidates;
        std::int64_t network = -1; ///< the how-manieth it was chosen on, from 0; on none yet
    };

    /// What the TPU compiler takes, in closed form, of collectives that go by their bytes alone;
    /// without a schedule where it is to be found otherwise.
    TimedSchedule sized(const Collective& collective);
    TimedSchedule with_messages(const Key& key, const Collective& collective);
    void choose_again(const Collective& collective, Choice& choice);
    std::vector<NetworkAxis> axes_of(const CollectiveSchedule& candidate) const;
    bool set_to_network(const std::vector<std::shared_ptr<CollectiveSchedule>>& candidates) const;
    /// Its candidates, counted.
    std::vector<std::shared_ptr<CollectiveSchedule>> built_for(const Collective& collective);

    const topologies::Machine* machine_ = nullptr;
    ScheduleTimes times_;
    std::int64_t phases_built_ = 0;
    std::int64_t networks_ = 0;     ///< before this one
    std::vector<NetworkAxis> axes_; ///< of the machine, if it is not the first
    bool twisted_ = false;          ///< likewise, as what follows
    topologies::ScheduleChoice choice_ = topologies::ScheduleChoice::xla;
    std::string chip_;
    std::vector<topologies::LinkFault> link_faults_; ///< a ring of all goes round none of them
    std::map<Key, Choice> chosen_;
    std::vector<std::shared_ptr<SizedSchedules>> sized_; ///< one for all that differ in bytes alone
    std::deque<std::pair<Key, TimedSchedule>> recent_;   ///< of those with messages
    std::size_t recent_messages_ = 0;                    ///< of these together
    NetworkNumbers numbers_{};                           ///< of the network they were chosen on
    int devices_per_chip_ = 1;                           ///< likewise
};

} // namespace alxsim::model
