// SPDX-License-Identifier: Apache-2.0
#include "model/critical_path.h"

#include <algorithm>
#include <array>

namespace alxsim::model {
namespace {

bool finishes_later(const Activity& a, const Activity& b)
{
    if (a.finish != b.finish) {
        return a.finish > b.finish;
    }
    return a.device != b.device ? a.device < b.device : a.op < b.op;
}

/// Times by phase and share, cheap to add to; named only at the end.
class Ledger {
public:
    explicit Ledger(std::size_t phases) : times_(phases) {}

    /// Books [begin, end] `times` over.
    void book(std::int16_t phase, Share share, Picoseconds begin, Picoseconds end,
              std::int64_t times)
    {
        if (begin < end) {
            times_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(share)] +=
                (end - begin) * times;
        }
    }

    Breakdown named(const std::vector<std::string>& phases) const
    {
        Breakdown result;
        for (std::size_t phase = 0; phase < times_.size(); ++phase) {
            for (std::size_t share = 0; share < share_count; ++share) {
                result.add(phases[phase], static_cast<Share>(share), times_[phase][share]);
            }
        }
        return result;
    }

private:
    std::vector<std::array<Picoseconds, share_count>> times_;
};

/// Follows the causes back, and unrolls the iterations that nobody recorded on the way.
class Walk {
public:
    /// A moment on the path, and the activity that explains what is before it.
    struct Place {
        std::int64_t activity = Activity::no_cause;
        Picoseconds time{0};
    };
    static constexpr std::int64_t no_skip = -1;

    Walk(const std::vector<Activity>& activities, const std::vector<Repetition>& repetitions,
         std::size_t phases)
        : activities_(activities),
          repetitions_(repetitions),
          ledger_(phases)
    {
    }

    /// Walks back to `until`, or to where the recorded iteration of `skip` begins if that comes
    /// first, and books every picosecond on the way `times` over.
    Place back(Place at, Picoseconds until, std::int64_t times, std::int64_t skip = no_skip)
    {
        while (at.activity != Activity::no_cause && at.time > until) {
            const Activity& activity = this->activity(at.activity);
            if (stands_for_repetition(at.activity)) {
                at = unroll(at.activity, until, times);
                continue;
            }
            if (activity.repetition >= 0 && repetition(activity).skip == skip) {
                return at;
            }
            book(activity, {until, at.time}, times);
            at = {activity.cause, activity.start};
        }
        return at;
    }

    Ledger& ledger() { return ledger_; }

private:
    struct Span {
        Picoseconds begin, end;
    };

    const Activity& activity(std::int64_t index) const
    {
        return activities_[static_cast<std::size_t>(index)];
    }
    const Repetition& repetition(const Activity& activity) const
    {
        return repetitions_[static_cast<std::size_t>(activity.repetition)];
    }
    bool stands_for_repetition(std::int64_t index) const
    {
        const Activity& found = activity(index);
        return found.repetition >= 0 && repetition(found).activity == index;
    }

    /// Books the part of `within` that `activity` explains.
    void book(const Activity& activity, Span within, std::int64_t times)
    {
        const auto part = [&](Share share, Picoseconds begin, Picoseconds end) {
            ledger_.book(activity.phase, share, std::max(begin, within.begin),
                         std::min(end, within.end), times);
        };
        const Picoseconds launched = std::min(activity.start + activity.launch, activity.finish);
        const Picoseconds filled = std::min(launched + activity.fill, activity.finish);
        // A gap between this finish and what it let start belongs to nobody on the path.
        part(Share::idle, activity.finish, within.end);
        part(activity.body, filled, activity.finish);
        part(Share::hbm, launched, filled);
        part(Share::host, activity.start, launched);
    }

    /// Walks back through a repetition: every iteration is the recorded one, some periods later.
    /// The path may leave it on another device than it came from, and goes on from there through
    /// the iteration before; once it stays on one device, all that are left are walked as one.
    Place unroll(std::int64_t index, Picoseconds until, std::int64_t times)
    {
        std::int64_t left = repetition(activity(index)).times;
        const Picoseconds period = (activity(index).finish - activity(index).start) / left;
        bool settled = false;
        while (left > 0) {
            const Activity& skipped = activity(index);
            const Picoseconds end = skipped.start + period * left;
            const std::int64_t whole = std::min(left, (end - until).count() / period.count());
            const std::int64_t walked = settled && whole > 0 ? whole : 1;
            const Picoseconds recorded_until = until - period * left;
            const Place there = back({skipped.cause, skipped.start}, recorded_until, times * walked,
                                     repetition(skipped).skip);
            if (there.time <= recorded_until) {
                return {index, until};
            }
            const std::int64_t next = repetition(activity(there.activity)).activity;
            settled = next == index;
            index = next;
            left -= walked;
        }
        return {activity(index).cause, activity(index).start};
    }

    const std::vector<Activity>& activities_;
    const std::vector<Repetition>& repetitions_;
    Ledger ledger_;
};

} // namespace

Breakdown critical_path(const std::vector<Activity>& activities,
                        const std::vector<std::string>& phases, Picoseconds from,
                        const std::vector<Repetition>& repetitions)
{
    const auto last = std::min_element(activities.begin(), activities.end(), finishes_later);
    if (last == activities.end()) {
        return {};
    }
    Walk walk(activities, repetitions, phases.size());
    const Walk::Place reached = walk.back({last - activities.begin(), last->finish}, from, 1);
    walk.ledger().book(last->phase, Share::idle, from, reached.time, 1);
    return walk.ledger().named(phases);
}

} // namespace alxsim::model
