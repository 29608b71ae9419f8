// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/critical_path.h"
#include "sim/epoch_timing.h"
#include "sim/observe/observer.h"
#include "sim/observe/statistics.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace alxsim::sim {

/// Keeps what every device did, and turns each epoch that closes into its breakdown: that of the
/// critical path through it. A device comes from one step into the next by its wait for dispatch
/// alone, so what was before a step that has closed is folded. Of the steps under way, what no path
/// can lead to any more is forgotten when it is much: collectives let all devices go on after the
/// same one, so that few paths lead back from them. So memory is bounded by the slice.
class Recorder final : public Observer, public StatisticsSource {
public:
    /// `much_is_kept` is called when forget_all_but() should be, soon. `devices`: how many are
    /// simulated.
    explicit Recorder(
        std::function<void()> much_is_kept = [] {}, int devices = 1);

    bool looks_closely() const override { return false; }
    void finished(const FinishedActivity& activity) override;
    void repeated(const RepeatedPart& part) override;
    void step_closed(const ClosedStep& step) override;
    void epoch_closed(const ClosedEpoch& epoch) override;
    /// `live`: what activities may yet be told to have waited for.
    void forget_all_but(const std::vector<ActivityRef>& live);
    void declare_statistics(Statistics& statistics) const override;

    const std::vector<EpochTiming>& epochs() const { return closed_; }

private:
    struct OpenStep {
        std::vector<std::int64_t> dispatches; ///< the waits for it
        std::int64_t left_out = 0;            ///< steps like the last ones, before its ops
        std::int64_t rounds = 1;              ///< in which they were left out
    };
    struct OpenEpoch {
        model::CriticalPath path;
        std::map<std::int64_t, OpenStep> steps; ///< by number
        std::int64_t most = 0;                  ///< to be kept
    };

    OpenEpoch& open(int epoch);
    void keep(OpenEpoch& in, int epoch, const model::Activity& activity, ActivityRef cause);
    /// When what is not yet closed began.
    Picoseconds from() const { return closed_.empty() ? Picoseconds(0) : closed_.back().finish; }

    /// Activities of an epoch that are not too much: some 16 MB, or some steps of all devices. To
    /// forget takes a look at all that devices may yet name.
    static constexpr std::int64_t much = std::int64_t{1} << 18;
    static constexpr std::int64_t much_of_device = 128;

    std::function<void()> much_is_kept_;
    std::int64_t much_;
    std::map<int, OpenEpoch> open_; ///< by epoch
    int recent_epoch_ = 0;          ///< the last one asked for, to find it without a search; or 0
    OpenEpoch* recent_ = nullptr;
    std::vector<EpochTiming> closed_;
    std::int64_t activities_ = 0; ///< of closed epochs
    std::int64_t most_kept_ = 0;
};

} // namespace alxsim::sim
