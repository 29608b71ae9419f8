// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"
#include "model/costs/phase_names.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

/// One thing that a device did, and what it had waited for. `[start, finish]` is split from its
/// beginning into launch overhead (host), fill of the first tile (HBM), and the body.
struct Activity {
    static constexpr std::int64_t no_cause = -1;
    /// Marks what stands for steps: see CriticalPath::repeat_folds.
    static constexpr std::int64_t whole_steps = -2;

    Picoseconds start{0}; ///< of a collective: when its last member arrived
    Picoseconds finish{0};
    Picoseconds launch{0};
    Picoseconds fill{0};
    std::int64_t cause = no_cause; ///< the earlier activity whose finish let this one start
    /// The repetition that it stands for, or whose recorded iteration it begins; or -1;
    /// whole_steps.
    std::int64_t repetition = -1;
    std::int32_t device = 0;
    std::int32_t op = 0;    ///< program order, for ties
    std::int16_t phase = 0; ///< index into the phase names
    Share body = Share::compute;
};

/// Iterations of a loop that nobody recorded, on one device. Its activity starts where the last
/// recorded iteration ended, which is its cause, and lasts for all of them. They were all like the
/// recorded one, which is where the path leaves a device at an activity that has the same skip; if
/// the loop was not periodic, each part of it stretched to the time that they are said to take.
struct Repetition {
    std::int64_t activity = 0;
    std::int64_t times = 0;
    std::int64_t skip = 0; ///< the same on all devices that left out the same iterations
};

/// Times by phase and share, cheap to add to; named only at the end.
class PathTimes {
public:
    /// Books [begin, end] `times` over.
    void book(std::int16_t phase, Share share, Picoseconds begin, Picoseconds end,
              std::int64_t times);
    void add(const PathTimes& other, std::int64_t times = 1);
    /// The same parts of another total, which they add up to exactly. No time stays none.
    void stretch_to(Picoseconds total);
    Breakdown named(const std::vector<std::string>& phases) const;
    /// With the axes that collectives are along.
    Breakdown named(const PhaseNames& phases) const;

private:
    using Shares = std::array<Picoseconds, share_count>;
    Shares& of(std::size_t phase);

    std::vector<Shares> times_; ///< [phase], as far as any was booked
};

/// A stretch of a path: the part of an activity that it leads through.
struct PathSpan {
    std::int64_t activity = 0; ///< by its number; of a gap, the one that ended before it
    Picoseconds begin{0};
    Picoseconds end{0};
    std::int16_t phase = 0;
    Share share = Share::idle;
    /// What the time of a repetition, which is one span, is spent on; `phase` and `share` are not
    /// set then.
    std::optional<PathTimes> repeated = {};
};

/// What devices did in an interval, told one by one, and the critical path through it: the walk
/// from the activity that finishes last (ties: lowest device, then op) back through the causes to
/// the beginning of the interval, `from`, which gives every picosecond its phase and share; time
/// that no activity on the path explains is idle. A member that waited for a late peer is followed
/// to that peer, because a collective's `start` and `cause` are those of its last arrival. Through
/// repetitions the path is the one that it would be if they had been recorded.
///
/// What lies far enough back is folded into times: see `fold`. Between two folds, activities to
/// which no path can lead any more may be forgotten: see `forget_all_but`.
class CriticalPath {
public:
    /// Activities have the numbers 0, 1, ... in the order in which they are added.
    void add(const Activity& activity);
    /// The last activity added stands for `times` rounds of what began with activity `since`.
    void repeats(std::int64_t since, std::int64_t times, std::int64_t skip);

    /// From now on paths go back to before `entries`, one activity of each device, by way of these
    /// alone. What was added before them is forgotten, but for the times of the paths that led to
    /// them.
    void fold(const std::vector<std::int64_t>& entries, Picoseconds from);
    /// What the last `cycle` folds took in came `rounds` times more, before what stands after the
    /// entries of the last one. Activities that are `whole_steps` stand for it. At most
    /// `longest_cycle`.
    void repeat_folds(std::int64_t cycle, std::int64_t rounds);
    static constexpr std::size_t longest_cycle = 4;

    /// Forgets activities to which no path leads back from `live`, nor from the last to finish so
    /// far. `live`: all that later ones may yet name as their cause, or that may be given to
    /// repeats() or fold(); those of them that were folded or forgotten before do not count.
    void forget_all_but(const std::vector<std::int64_t>& live);

    /// `phases`: the names, by the numbers that activities have.
    Breakdown breakdown(const std::vector<std::string>& phases, Picoseconds from) const
    {
        return times(from).named(phases);
    }
    Breakdown breakdown(const PhaseNames& phases, Picoseconds from) const
    {
        return times(from).named(phases);
    }
    /// The path itself, in the order of time, from `from` on: without a gap, and adding up to the
    /// breakdown. Only where nothing was folded.
    std::vector<PathSpan> spans(Picoseconds from) const;
    /// When the last activity ends.
    Picoseconds finish() const { return finish_; }
    /// How many activities were added.
    std::int64_t added() const
    {
        return first_in_a_row_ + kept() - static_cast<std::int64_t>(sparse_.size());
    }
    /// Counts those of them that are neither folded nor forgotten.
    std::int64_t kept() const { return static_cast<std::int64_t>(activities_.size()); }

private:
    class Walk;
    class MeetingWalks;
    static constexpr int nobody = -1;
    /// A path to an entry of the last fold, or another place, from an entry of the fold before.
    struct Leg {
        PathTimes times;
        Picoseconds reached{0}; ///< how far back the path goes
        int before = nobody;    ///< whose entry it comes from, if it does not end
    };
    using Legs = std::vector<Leg>; ///< [device]

    PathTimes times(Picoseconds from) const;
    std::int64_t last_to_finish() const;
    Leg leg_to(std::int64_t activity, Picoseconds time, Picoseconds from) const;
    Legs legs_to(const std::vector<std::int64_t>& entries, Picoseconds from) const;
    static Leg joined(const Leg& leg, const Legs& before);
    static Legs joined(const Legs& legs, const Legs& before);
    /// The cause of the entry of `device`.
    static std::int64_t folded(int device) { return Activity::no_cause - 1 - device; }
    void forget_before(std::int64_t activity);
    std::optional<std::size_t> find(std::int64_t activity) const;
    std::size_t index_of(std::int64_t activity) const;
    std::int64_t number_of(std::size_t index) const;
    const Activity& at(std::int64_t activity) const { return activities_[index_of(activity)]; }
    Activity& at(std::int64_t activity) { return activities_[index_of(activity)]; }
    const Repetition& repetition_of(const Activity& activity) const
    {
        return repetitions_[static_cast<std::size_t>(activity.repetition - first_repetition_)];
    }
    bool leads_on(std::size_t index) const;
    std::vector<bool> reached_from(const std::vector<std::int64_t>& live) const;

    std::vector<Activity> activities_; ///< in the order of their numbers
    std::vector<std::int64_t> sparse_; ///< the first numbers, between which some are missing
    std::int64_t first_in_a_row_ = 0;  ///< that of the first one after them
    std::int64_t first_repetition_ = 0;
    std::vector<Repetition> repetitions_;
    std::vector<std::int64_t> entries_; ///< [device]: of the last fold; its cause is folded(device)
    Legs folded_;                       ///< whole paths to the entries
    std::deque<Legs> legs_;             ///< of the last folds
    Picoseconds finish_{0};
};

} // namespace alxsim::model
