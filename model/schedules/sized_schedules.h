// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedules/schedule_choice.h"
#include "model/schedules/xla_schedule.h"
#include "model/xla/collective_rules.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace alxsim::model {

/// Whether such schedules go along the same axes in the same order on both: their numbers may
/// differ, but not which of two axes of one length comes first. (Faults of links are for the caller
/// to compare.)
bool planned_alike(const std::vector<NetworkAxis>& some, const std::vector<NetworkAxis>& others);

/// Schedules of what the TPU compiler takes, for collectives that differ in their bytes alone, on
/// machines whose networks are planned_alike(), whose faults of links are the same and that differ
/// in numbers alone: made once for each choice and then set to other bytes and rates, which takes
/// no memory. Not safe for several threads.
class SizedSchedules {
public:
    /// Throws InputError as group_of().
    SizedSchedules(const Collective& collective, const topologies::Machine& machine);

    /// Whether collectives like these differ from `other` in bytes alone, if at all.
    bool speaks_of(const Collective& other) const;

    /// The schedule for `bytes`, the same as xla_schedule(), with its closed_form_time(); without a
    /// schedule where that has none. As long as anybody holds it nothing is written to it.
    TimedSchedule schedule(Bytes bytes, const topologies::Machine& machine);

    /// From now on with these axes' numbers; they are planned_alike() with those before.
    void use(const std::vector<NetworkAxis>& network);

    /// Phases of all schedules that it made so far.
    std::int64_t phases_built() const { return phases_built_; }
    /// How often it was asked for what it did not have for those bytes and rates.
    std::int64_t timed() const { return timed_; }

private:
    static constexpr std::size_t most_kept = 64;

    struct Sized {
        std::shared_ptr<CollectiveSchedule> schedule;
        Bytes bytes{0};
        Picoseconds time{0};
        std::int64_t network = 0; ///< the how-manieth it was timed on
    };
    struct Planned {
        std::optional<XlaPlan> plan; ///< none: xla_schedule() has nothing
        Collective run;              ///< run_as() of the last one, with its bytes
        std::vector<Sized> schedules;
    };

    Planned& planned(int choice, const topologies::Machine& machine);
    /// One that is not held by others, of another network if there is; null: there is none.
    Sized* idle(std::vector<Sized>& schedules) const;
    std::shared_ptr<CollectiveSchedule> new_schedule(const XlaPlan& plan, const XlaChoice& choice);

    Collective collective_;
    CollectiveGroup group_;
    XlaChoicesBySize choices_;
    std::vector<std::pair<int, Planned>> planned_; ///< by the choice's number
    std::int64_t networks_ = 0;                    ///< before this one
    std::int64_t phases_built_ = 0;
    std::int64_t timed_ = 0;
};

} // namespace alxsim::model
