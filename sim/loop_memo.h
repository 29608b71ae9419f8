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
/// It then is at rest, and until it enters a collective its future is its chip's business alone. An
/// iteration is a clean cut through the slice if all devices that the loop concerns have reported
/// it before any of them enters a collective or reports the next, with no collective under way
/// then, and if no HBM transfer was under way or began between the reports of a chip's devices.
/// What comes after such a cut depends on how far apart the reports are, and on nothing else. So if
/// two clean cuts follow each other, and every device reports the second the same time after the
/// first, then every further iteration takes that time too, and does the same.
///
/// A loop concerns all devices if it holds collectives, else those of a chip if it moves HBM bytes,
/// else one device. Loops with an infeed are left alone: the host works ahead of them.
class LoopMemo : public StatisticsSource {
public:
    class Loop;

    /// A device at rest before an iteration.
    struct Report {
        std::int64_t step = 0;
        std::int64_t left = 0; ///< iterations still to do, this one included
        bool follows = false;  ///< the device has also reported the iteration just before
        bool hbm_idle = true;  ///< the chip's
        Bytes hbm_bytes{0};    ///< moved by the chip so far
    };
    /// What a device leaves out before it begins the ops of an iteration.
    struct Skip {
        std::int64_t iterations = 0;
        Picoseconds period{0};
        std::int64_t number = 0; ///< the same for all devices, and for no other skip
        bool too_long = false;   ///< past what simulated time holds: stop here
    };

    LoopMemo(const topologies::Machine& machine, Network& network);
    ~LoopMemo() override;

    /// Null if nothing may be skipped in `repeat`.
    Loop* loop_of(const model::CompiledOp& repeat);
    void report(Loop& loop, int device, const Report& report);
    /// The device is about to begin the ops of the iteration that it reported last. All devices get
    /// the same answer; it leaves an iteration to do.
    Skip begin(Loop& loop, int device);
    /// Some device is about to enter a collective.
    void entering_collective();
    /// Throws InputError if a loop was too long.
    void rethrow_failure() const;
    void declare_statistics(Statistics& statistics) const override;

private:
    struct Cut;
    /// Programs come and go: another body may get the address of one that is gone.
    struct KnownLoop {
        std::weak_ptr<const model::CompiledGraph> body;
        std::unique_ptr<Loop> loop; ///< null if nothing may be skipped
    };

    void forget_dead_loops();
    int members_of(const model::CompiledGraph& body) const;
    void next_cut(Loop& loop, Cut& cut, const Report& report);
    void judge(Loop& loop, Cut& cut);
    Skip skip_of(const Cut& cut, std::int64_t iterations);

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
