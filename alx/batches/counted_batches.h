// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"

#include <algorithm>
#include <cstdint>

namespace alxsim::alx {

/// Counts the batches of rows that come one after another, of which lengths are all that is known.
/// A row that is longer than a batch is cut to what it holds, or split; others then fill the rest
/// of its last batch, as if that were a row of its own.
class CountedBatches {
public:
    CountedBatches(const BatchGeometry& geometry, Admission admission, bool splits)
        : packer_(geometry, admission),
          slots_(geometry.slots()),
          splits_(splits)
    {
    }

    void add(std::int64_t length)
    {
        std::int64_t last = std::min(length, slots_);
        links_ += splits_ ? length : last;
        if (splits_ && length > slots_) {
            batches_ += (length - 1) / slots_;
            last = (length - 1) % slots_ + 1;
        }
        batches_ += packer_.add(last) ? 1 : 0;
    }

    std::int64_t batches() const { return batches_; }
    /// That the batches hold.
    std::int64_t links() const { return links_; }

private:
    BatchPacker packer_;
    std::int64_t slots_;
    bool splits_;
    std::int64_t batches_ = 1;
    std::int64_t links_ = 0;
};

} // namespace alxsim::alx
