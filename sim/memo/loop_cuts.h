// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/for_each_op.h"
#include "sim/memo/loop_memo.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

/// What LoopMemo keeps of a loop: the cuts that its devices have reported.
namespace alxsim::sim {

inline bool moves_hbm_bytes(const model::CompiledGraph& body)
{
    const auto moves = [](const model::OpCost& cost) { return cost.hbm.bytes > Bytes(0); };
    return model::any_op(body, [&moves](const model::CompiledOp& op) {
        return op.traffic || moves(op.cost) ||
               std::any_of(op.cost_of_device.begin(), op.cost_of_device.end(), moves);
    });
}

/// What the network had done when the first device reported a cut.
struct LoopMemo::Traffic {
    NetworkCounters counters;
    Network::Counting counting;
};

/// The iteration that a group of devices reported last.
struct LoopMemo::Cut {
    std::int64_t step = -1;
    std::int64_t left = 0;
    std::int64_t number = 0;
    int first_device = 0;
    int reported = 0; ///< devices
    int begun = 0;
    bool judged = false;
    bool at_rest = false;  ///< once judged: nothing was under way, and `counters` are of it
    bool clean = false;    ///< once judged, or looked back at
    bool periodic = false; ///< the same time after one at rest for all that have reported it
    bool follows = false;  ///< all that have reported it have reported the one before
    Picoseconds period{0};
    std::int64_t entries = 0;    ///< into collectives, before the first report
    std::int64_t encounters = 0; ///< of collectives, before the first report
    NetworkCounters counters;    ///< of the network, at the last cut at rest until here
    Traffic at_first;
    Skip skip;      ///< before this iteration
    Skip next_skip; ///< before the next one
};

/// A cut that all devices have reported.
struct LoopMemo::PastCut {
    bool clean = false;
    std::vector<Picoseconds> times;              ///< [device]
    std::vector<std::vector<Picoseconds>> hosts; ///< [device]; of steps alone
    Traffic at_first;
};

/// A repeat, on all groups of devices that run it independently of each other.
class LoopMemo::Loop {
public:
    struct Member {
        std::int64_t cut = -1; ///< number of the last one reported
        Picoseconds time{0};
        Picoseconds hbm_until{0};
        std::vector<Picoseconds> host;
    };

    Loop(int devices, int devices_per_group, const model::CompiledGraph& body, bool steps)
        : group_size(devices_per_group),
          has_collectives(body.has_collectives),
          moves_bytes(moves_hbm_bytes(body)),
          of_steps(steps),
          cuts_(static_cast<std::size_t>(devices / devices_per_group)),
          members_(static_cast<std::size_t>(devices))
    {
        for (std::size_t group = 0; group < cuts_.size(); ++group) {
            cuts_[group].first_device = static_cast<int>(group) * group_size;
        }
    }

    Cut& cut_of(int device) { return cuts_[static_cast<std::size_t>(device / group_size)]; }
    Member& member(int device) { return members_[static_cast<std::size_t>(device)]; }

    /// Whether each of the group's chips had moved all bytes of before the cut when its first
    /// device reported it.
    bool hbm_at_rest(const Cut& cut, int devices_per_chip) const
    {
        const int chip_size = std::min(devices_per_chip, group_size);
        for (int first = 0; first < group_size; first += chip_size) {
            const auto begin = members_.begin() + cut.first_device + first;
            const Picoseconds reported = earliest(begin, begin + chip_size, &Member::time);
            if (std::any_of(begin, begin + chip_size,
                            [&](const Member& member) { return member.hbm_until > reported; })) {
                return false;
            }
        }
        return true;
    }

    /// Keeps `cut`, which all devices have reported, beside the last ones that it follows.
    void remember(Cut& cut)
    {
        if (!cut.follows) {
            past_.clear();
        }
        PastCut& kept = past_.emplace_back();
        kept.clean = cut.clean;
        kept.at_first = std::move(cut.at_first);
        kept.times.reserve(members_.size());
        for (const Member& member : members_) {
            kept.times.push_back(member.time);
            if (of_steps) {
                kept.hosts.push_back(member.host);
            }
        }
        if (past_.size() > (of_steps ? longest_cycle_of_steps : longest_cycle) + 1) {
            past_.pop_front();
        }
    }
    void forget_past() { past_.clear(); }

    /// After how many iterations the last cut has come back to what a past one was, and devices may
    /// stop at the next one, as that after the past one was clean; 0: not yet.
    std::size_t cycle() const
    {
        for (std::size_t back = 1; back < past_.size(); ++back) {
            if (comes_back_to(before(back)) && before(back - 1).clean) {
                return back;
            }
        }
        return 0;
    }
    /// When `device` reports the cut at which it skips, since the loop is periodic.
    Picoseconds expected(int device, const Skip& skip) const
    {
        const auto which = static_cast<std::size_t>(device);
        const Picoseconds round =
            skip.duration / (skip.iterations / static_cast<std::int64_t>(skip.cycle));
        return round +
               (skip.cycle == 1 ? members_[which].time : before(skip.cycle - 1).times[which]);
    }
    /// From the first device that has reported the last cut to the last one.
    Picoseconds spread() const
    {
        const auto [first, last] =
            std::minmax_element(past_.back().times.begin(), past_.back().times.end());
        return *last - *first;
    }
    const PastCut& last() const { return past_.back(); }
    const PastCut& before(std::size_t cuts) const { return past_[past_.size() - 1 - cuts]; }

    const int group_size;
    const bool has_collectives;
    const bool moves_bytes;
    const bool of_steps; ///< the body is a whole step

private:
    template <class Iterator>
    static Picoseconds earliest(Iterator begin, Iterator end, Picoseconds Member::*time)
    {
        Picoseconds result = (*begin).*time;
        for (; begin != end; ++begin) {
            result = std::min(result, (*begin).*time);
        }
        return result;
    }

    bool comes_back_to(const PastCut& past) const
    {
        const PastCut& now = past_.back();
        const Picoseconds took = now.times.front() - past.times.front();
        return now.clean && past.clean &&
               std::equal(now.times.begin(), now.times.end(), past.times.begin(),
                          [&](Picoseconds a, Picoseconds b) { return a - b == took; }) &&
               now.hosts == past.hosts;
    }

    std::vector<Cut> cuts_;
    std::vector<Member> members_;
    std::deque<PastCut> past_; ///< of loops with collectives: the last cuts, each after the other
};

} // namespace alxsim::sim
