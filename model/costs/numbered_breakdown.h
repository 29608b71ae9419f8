// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"
#include "model/costs/device_use.h"
#include "model/costs/phase_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace alxsim::model {

/// A Breakdown whose phases are numbers, as PhaseNames gives them, for what adds up many parts.
class NumberedBreakdown {
public:
    Picoseconds total() const { return total_; }

    void add(int phase, Share share, Picoseconds time)
    {
        if (time != Picoseconds(0)) {
            total_ += time;
            shares_[static_cast<std::size_t>(share)] += time;
            add_to_phase(static_cast<std::size_t>(phase), time);
        }
    }

    NumberedBreakdown& operator+=(const NumberedBreakdown& other)
    {
        total_ += other.total_;
        for (std::size_t i = 0; i < share_count; ++i) {
            shares_[i] += other.shares_[i];
        }
        for (std::size_t i = 0; i < other.phases_.size(); ++i) {
            if (other.phases_[i] != unmet) {
                add_to_phase(i, other.phases_[i]);
            }
        }
        use_.add(other.use_);
        return *this;
    }

    /// Throws InputError for a time that cannot be held.
    NumberedBreakdown scaled(std::int64_t times) const
    {
        NumberedBreakdown result = *this;
        result.total_ = repeated(total_, times);
        for (Picoseconds& time : result.shares_) {
            time = time * times;
        }
        for (Picoseconds& time : result.phases_) {
            time = time == unmet ? unmet : time * times;
        }
        result.use_ = {};
        result.use_.add(use_, times);
        return result;
    }

    /// The same parts of another total, which they add up to exactly. Not of nothing.
    NumberedBreakdown stretched_to(Picoseconds total) const;

    /// What a device does meanwhile, beside its work; nothing unless somebody has set it.
    const DeviceUse& use() const { return use_; }
    void set_use(DeviceUse use) { use_ = std::move(use); }

    Breakdown named(const PhaseNames& phases) const;

private:
    static constexpr std::size_t usual_phases = 12; ///< for which there is room at once
    static constexpr Picoseconds unmet{-1}; ///< nothing of this phase was added, not even no time

    void add_to_phase(std::size_t phase, Picoseconds time)
    {
        if (phase >= phases_.size()) {
            phases_.resize(std::max(phase + 1, usual_phases), unmet);
        }
        Picoseconds& sum = phases_[phase];
        sum = sum == unmet ? time : sum + time;
    }

    Picoseconds total_{0};
    std::array<Picoseconds, share_count> shares_{};
    std::vector<Picoseconds> phases_; ///< by number
    DeviceUse use_;
};

} // namespace alxsim::model
