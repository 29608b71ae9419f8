// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/hbm/hbm_rates.h"

#include <optional>
#include <vector>

namespace alxsim::model {

/// Transfers under way that share a memory max-min fairly: each is so much time of the whole memory
/// (HbmCost::busy), none goes faster than it would alone (HbmCost::alone), and what one cannot use
/// goes to the others.
class SharedRates {
public:
    /// `capacity`: share of the memory that they have together; of D devices that all do the same,
    /// one has 1/D.
    explicit SharedRates(double capacity = 1) : capacity_(capacity) {}

    /// Moments must not go back. `id` names it to the caller.
    void start(int id, const HbmCost& cost, Picoseconds now);
    /// Moves on to `now`, takes those out that are over and appends their ids.
    void finish(Picoseconds now, std::vector<int>& over);
    /// When the next is over; none where nothing moves.
    std::optional<Picoseconds> next() const;

private:
    /// Work in picoseconds of the whole memory.
    struct Transfer {
        int id;
        double remaining;
        double residue;  ///< with no more than this remaining it is over
        double fastest;  ///< share of the memory that it can use
        double rate = 0; ///< share that it has now
    };

    void progress(Picoseconds now);
    void share_out();

    double capacity_;
    std::vector<Transfer> transfers_;
    Picoseconds progressed_to_{0};
};

} // namespace alxsim::model
