// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/dram_channel.h"
#include "model/hbm/dram_time.h"
#include "model/hbm/hbm_access.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace alxsim::model {

/// The HBM of a chip, burst by burst: its DMA engine and its channels. A transfer is split into
/// bursts in its own order, and keeps so many offered to the channels and not yet taken; at each
/// channel the transfers take turns. A transfer's bursts go out at no more than the rate of one
/// device's DMA engines: the n-th not before its n-th share of time.
///
/// In each clock channels take bursts first, then issue commands: what a command makes room for is
/// taken in the next clock.
///
/// Plain: who owns it brings the time, and may bring it late. Nobody sees a burst, only when a
/// transfer is over; so all that has happened since may be caught up with in one go, when a
/// transfer begins or `may_end()` has come.
class BankedHbm {
public:
    /// Place of a transfer under way; used again when it is over.
    using Place = std::size_t;

    /// `dma_bytes_per_second`: of one device.
    BankedHbm(const topologies::HbmSpec& spec, double dma_bytes_per_second);

    /// Starts a transfer at `start`, up to which all has been caught up with.
    Place begin(const HbmAccess& access, DramClock start);
    /// Does all that happens before `until`.
    void catch_up(DramClock until);
    /// No transfer is over before this clock; `never` if there is none.
    DramClock may_end() const;
    /// The first transfer that is over at `now`: forgotten with that.
    std::optional<Place> end_one(DramClock now);

    bool idle() const { return under_way_ == 0; }
    std::int64_t transfers_begun() const { return transfers_begun_; }
    std::int64_t bursts_begun() const { return bursts_begun_; }
    std::int64_t activates() const;

private:
    /// Bursts that wait for their channel.
    using Bursts = ListPool<DramRequest>;

    struct Transfer {
        std::optional<BurstStream> stream; ///< none: the place is free
        std::vector<Bursts::List> offered; ///< to each channel
        std::int64_t to_read = 0;          ///< bursts still in the stream
        std::int64_t under_way = 0;        ///< out of it, their column not yet issued
        int window = 0;                    ///< out of it, not yet taken by their channel
        double next_at = 0;                ///< picoseconds: earliest time of the next burst
        DramClock fill_at = never;         ///< when the engines let it go on
        DramClock last_byte = 0;

        std::int64_t without_data() const { return to_read + under_way; }
    };
    struct Port {
        Bursts::Place waiting = Bursts::none; ///< chosen, and to be taken next
        Place turn = 0;                       ///< transfer that is asked first
    };

    DramClock next_clock() const;
    void find_due();
    void take_bursts();
    void issue_commands();
    void run(std::size_t channel);
    void fill(Place place);
    bool can_take(std::size_t channel) const;
    void offer_all();
    bool choose(std::size_t channel);
    void take(std::size_t channel);
    DramClock may_end(const Transfer& transfer) const;

    const topologies::HbmSpec spec_;
    DramTime time_;
    double burst_time_; ///< picoseconds at the rate of the engines; 0: no slower than the memory
    int window_;
    std::vector<Transfer> transfers_;
    std::vector<DramChannel> channels_;
    std::vector<Port> ports_;           ///< of the channels
    std::vector<DramClock> next_;       ///< at which each channel takes or issues something
    std::vector<std::size_t> due_;      ///< channels that do so now come first
    std::size_t due_channels_ = 0;      ///< how many of them
    std::vector<std::size_t> to_offer_; ///< channels that something has become ready for
    Bursts bursts_;
    std::vector<DramDone> done_;
    DramClock clock_ = 0; ///< all before it has been done
    double edge_ = 0;     ///< its rising edge, picoseconds
    int under_way_ = 0;
    std::int64_t transfers_begun_ = 0;
    std::int64_t bursts_begun_ = 0;
};

} // namespace alxsim::model
