// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/storage_time.h"
#include "sim/alarms.h"
#include "sim/observe/statistics.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// The drives of all hosts, block by block: each device streams over its own share of them, one
/// stream each way. A stream keeps as many requests under way as its queue is deep: the core of its
/// host issues them one after another, a drive works on all of its own at once and transfers their
/// blocks in turn.
class HostDrives : public sc_core::sc_module, public StatisticsSource, private Sleeper {
public:
    HostDrives(const sc_core::sc_module_name& name, Alarms& alarms);

    /// Starts moving bytes, more than none, now; calls `done` when the last block has moved.
    void move(const model::StorageQueue& queue, Bytes bytes, std::function<void()> done);
    void declare_statistics(Statistics& statistics) const override;

private:
    struct Drive {
        std::int64_t blocks = 0; ///< to be asked for
        Picoseconds free{0};     ///< when all that it was asked for has been transferred
    };
    struct Stream {
        Picoseconds request{0};
        Picoseconds latency{0};
        Picoseconds transfer{0};      ///< of a block
        Picoseconds last_transfer{0}; ///< of the last one
        std::vector<Drive> drives;
        std::int64_t unasked = 0; ///< blocks
        std::int64_t moving = 0;
        Picoseconds core_free{0};
        std::function<void()> done;
    };
    struct Moved {
        Picoseconds time{0};
        std::uint64_t order = 0;
        int stream = 0;
        int drive = 0;
        bool operator>(const Moved& other) const
        {
            return time != other.time ? time > other.time : order > other.order;
        }
    };

    void wake() override;
    void ask(int stream, int drive);
    void moved(const Moved& block);
    void arm();

    std::vector<Stream> streams_;
    std::vector<int> spare_; ///< places in it
    std::priority_queue<Moved, std::vector<Moved>, std::greater<>> under_way_;
    std::uint64_t order_ = 0;
    std::int64_t blocks_ = 0;
    Alarms& alarms_;
    const int alarm_;
};

} // namespace alxsim::sim
