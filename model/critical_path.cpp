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

    /// Books [begin, end] but nothing before `from`.
    void book(std::int16_t phase, Share share, Picoseconds begin, Picoseconds end, Picoseconds from)
    {
        begin = std::max(begin, from);
        if (begin < end) {
            times_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(share)] += end - begin;
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

} // namespace

Breakdown critical_path(const std::vector<Activity>& activities,
                        const std::vector<std::string>& phases, Picoseconds from)
{
    Ledger ledger(phases.size());
    const auto last = std::min_element(activities.begin(), activities.end(), finishes_later);
    if (last == activities.end()) {
        return {};
    }
    std::int64_t index = last - activities.begin();
    Picoseconds reached = last->finish;
    while (index != Activity::no_cause && reached > from) {
        const Activity& now = activities[static_cast<std::size_t>(index)];
        const Picoseconds launched = now.start + now.launch;
        const Picoseconds filled = launched + now.fill;
        // A gap between this finish and what it let start belongs to nobody on the path.
        ledger.book(now.phase, Share::idle, now.finish, reached, from);
        ledger.book(now.phase, now.body, filled, now.finish, from);
        ledger.book(now.phase, Share::hbm, launched, std::min(filled, now.finish), from);
        ledger.book(now.phase, Share::host, now.start, std::min(launched, now.finish), from);
        reached = now.start;
        index = now.cause;
    }
    if (reached > from) {
        ledger.book(activities[static_cast<std::size_t>(last - activities.begin())].phase,
                    Share::idle, from, reached, from);
    }
    return ledger.named(phases);
}

} // namespace alxsim::model
