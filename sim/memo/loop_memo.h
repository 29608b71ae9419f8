// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "sim/network.h"
#include "sim/observe/statistics.h"
#include "topologies/machine.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <unordered_map>
#include <vector>

namespace alxsim::sim {

/// Sees when a loop has become periodic, so that its devices may skip iterations and be exact.
///
/// A device reports each beginning of an iteration at which nothing but the loop is going on in it.
/// It then is at rest, and until it enters a collective its future is its chip's business alone.
/// The reports of one iteration are a clean cut through the slice if all devices that the loop
/// concerns have made theirs before any of them reports the next, if all devices of a chip have
/// moved their HBM bytes of before it when the first of them reports, and if nothing crosses it.
/// That is so where no collective is under way and none is entered until the last report. It is so,
/// too, where early devices go on while late ones still work at the collectives before: whoever has
/// reported has received all of theirs, and if messages of two collectives never meet on a link
/// until the first device reports the next iteration, those before the cut do not change what
/// follows.
///
/// What comes after a clean cut depends on how far apart the reports are, and on nothing else. So
/// if every device reports a clean cut the same time after an earlier one, what was between them
/// comes over and over, and takes that time. Devices stop at the next cut, so the cut after the
/// earlier one has to have been clean, too: early devices that stop do not disturb late ones.
///
/// A loop concerns all devices if it holds collectives, else those of a chip if it moves HBM bytes,
/// else one device. Loops with an infeed are left alone: the host works ahead of them.
///
/// Equal steps in a row are a loop, too, if they hold collectives: devices report when they have
/// left the step before, and what comes after depends on their hosts as well, how far each is
/// ahead.
class LoopMemo : public StatisticsSource {
public:
    class Loop;

    /// A device at rest before an iteration.
    struct Report {
        std::int64_t step = 0;
        std::int64_t left = 0;    ///< iterations still to do, this one included
        bool follows = false;     ///< the device has also reported the iteration just before
        Picoseconds hbm_until{0}; ///< when its last byte to or from HBM had moved
        std::vector<Picoseconds> host = {}; ///< of steps: model::HostLink::state
    };
    /// What a device leaves out before it begins the ops of an iteration.
    struct Skip {
        std::int64_t iterations = 0;
        std::size_t cycle = 1; ///< they are the last so many over and over
        Picoseconds duration{0};
        std::int64_t number = 0; ///< the same for all devices, and for no other skip
        bool too_long = false;   ///< past what simulated time holds: stop here
    };
    /// After how many iterations a loop may come back to where it was. Rings with several colours
    /// swing for 2 to 4.
    static constexpr std::size_t longest_cycle = 16;
    static constexpr std::size_t longest_cycle_of_steps = 4;

    LoopMemo(const topologies::Machine& machine, Network& network);
    ~LoopMemo() override;

    /// Null if nothing may be skipped in `repeat`.
    Loop* loop_of(const model::CompiledOp& repeat);
    /// The same of steps of this graph.
    Loop* loop_of_steps(const std::shared_ptr<const model::CompiledGraph>& graph);
    void report(Loop& loop, int device, Report report);
    /// The device is about to begin the ops of the iteration that it reported last. All devices get
    /// the same answer; it leaves an iteration to do.
    Skip begin(Loop& loop, int device);
    /// Some device is about to enter a collective.
    void entering_collective();
    /// Throws InputError if a loop was too long.
    void rethrow_failure() const;
    void declare_statistics(Statistics& statistics) const override;

private:
    struct Traffic;
    struct Cut;
    struct PastCut;
    /// The last iterations, as what is to come.
    struct Round {
        std::size_t cycle = 0; ///< how many; 0: they are not
        Picoseconds duration{0};
    };
    /// Programs come and go: another body may get the address of one that is gone.
    struct KnownLoop {
        std::weak_ptr<const model::CompiledGraph> body;
        std::unique_ptr<Loop> loop; ///< null if nothing may be skipped
    };

    Loop* known_loop(const std::shared_ptr<const model::CompiledGraph>& body, bool of_steps);
    void forget_dead_loops();
    int members_of(const model::CompiledGraph& body) const;
    int members_of_step(const model::CompiledGraph& graph) const;
    void next_cut(Loop& loop, Cut& cut, const Report& report);
    void judge(Loop& loop, Cut& cut);
    void look_back(Loop& loop, Cut& cut, Cut& next);
    static Round round_of(const Loop& loop);
    Skip skip_of(Picoseconds period, std::size_t cycle, std::int64_t rounds);

    const topologies::Machine& machine_;
    Network& network_;
    std::unordered_map<const model::CompiledGraph*, KnownLoop> loops_; ///< by body
    /// Loops with collectives that all devices have reported since the last one was entered.
    std::vector<Loop*> reported_;
    std::int64_t entries_ = 0; ///< devices that entered a collective so far
    std::int64_t skips_ = 0;
    std::exception_ptr failure_;
};

} // namespace alxsim::sim
