// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"

#include <algorithm>
#include <cstddef>
#include <string>
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
        return result;
    }

    /// The same parts of another total, which they add up to exactly. Not of nothing.
    NumberedBreakdown stretched_to(Picoseconds total) const;

    /// `phases`: names by number.
    Breakdown named(const std::vector<std::string>& phases) const
    {
        Breakdown result;
        result.total = total_;
        result.shares = shares_;
        for (std::size_t i = 0; i < phases_.size(); ++i) {
            if (phases_[i] != unmet) {
                result.phases.emplace(phases[i], phases_[i]);
            }
        }
        return result;
    }

private:
    static constexpr std::size_t usual_phases = 8; ///< for which there is room at once
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
};

} // namespace alxsim::model
