// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/epoch_timing.h"
#include "sim/observe/observer.h"
#include "sim/observe/statistics.h"

#include <cstdint>
#include <map>
#include <vector>

namespace alxsim::sim {

/// Keeps what every device did, epoch by epoch, and turns each epoch that closes into its
/// breakdown: that of the critical path through it.
class Recorder final : public Observer, public StatisticsSource {
public:
    bool looks_closely() const override { return false; }
    void finished(const FinishedActivity& activity) override;
    void repeated(const RepeatedPart& part) override;
    void epoch_closed(const ClosedEpoch& epoch) override;
    void declare_statistics(Statistics& statistics) const override;

    const std::vector<EpochTiming>& epochs() const { return closed_; }

private:
    struct OpenEpoch {
        std::vector<model::Activity> activities; ///< by their numbers
        std::vector<model::Repetition> repetitions;
        Picoseconds finish{0}; ///< of the last activity
    };

    OpenEpoch& open(int epoch);
    static void keep(OpenEpoch& in, int epoch, const model::Activity& activity, ActivityRef cause);

    std::map<int, OpenEpoch> open_; ///< by epoch
    int recent_epoch_ = 0;          ///< the last one asked for, to find it without a search; or 0
    OpenEpoch* recent_ = nullptr;
    std::vector<EpochTiming> closed_;
    std::int64_t activities_ = 0; ///< of closed epochs
};

} // namespace alxsim::sim
