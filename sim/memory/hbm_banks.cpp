// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/hbm_banks.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <utility>

namespace alxsim::sim {
namespace {

/// Milliseconds of the host: a stop is seen between events, and a transfer may take minutes.
constexpr model::DramClock clocks_at_once = 1 << 14;
/// Pieces of a transfer that others pace: as even as contention can tell.
constexpr int most_pieces = 64;

} // namespace

HbmBanks::HbmBanks(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec,
                   double dma_bytes_per_second)
    : sc_core::sc_module(name),
      time_(spec.clock_hz),
      burst_(spec.burst),
      banks_(spec, dma_bytes_per_second)
{
    SC_HAS_PROCESS(HbmBanks);
    SC_METHOD(serve);
    sensitive << may_end_;
    dont_initialize();
    process_.is_last_created();
}

void HbmBanks::transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                        std::function<void()> done)
{
    bytes_moved_ += cost.bytes;
    if (access.over > Picoseconds(0)) {
        const auto pieces = static_cast<int>(
            std::clamp<std::int64_t>(access.bytes().count() / burst_.count(), 1, most_pieces));
        model::HbmAccess piece = access;
        piece.read = Bytes(ceil_divide(access.read.count(), pieces));
        piece.written = Bytes(ceil_divide(access.written.count(), pieces));
        paced_.push_back({piece, pieces, access.over / pieces, now(), false, std::move(done)});
        begin_paced();
    } else {
        begin(access, std::move(done));
    }
    arm();
}

void HbmBanks::begin(const model::HbmAccess& access, std::function<void()> done)
{
    const model::DramClock start = time_.from(now());
    banks_.catch_up(start);
    const model::BankedHbm::Place place = banks_.begin(access, start);
    done_.resize(std::max(done_.size(), place + 1));
    done_[place] = std::move(done);
}

/// The pieces that have come.
void HbmBanks::begin_paced()
{
    for (auto transfer = paced_.begin(); transfer != paced_.end(); ++transfer) {
        if (!transfer->moving && transfer->next <= now()) {
            transfer->moving = true;
            begin(transfer->piece, [this, transfer] { piece_is_over(transfer); });
        }
    }
}

void HbmBanks::piece_is_over(std::list<Paced>::iterator transfer)
{
    transfer->moving = false;
    transfer->next += transfer->every;
    if (--transfer->left == 0) {
        const std::function<void()> done = std::move(transfer->done);
        paced_.erase(transfer);
        done(); // may start the next one
    }
}

void HbmBanks::serve()
{
    const model::DramClock clock = time_.from(now());
    banks_.catch_up(clock);
    while (const auto place = banks_.end_one(clock)) {
        const std::function<void()> done = std::exchange(done_[*place], nullptr);
        done(); // may start the next one
    }
    begin_paced();
    arm();
}

void HbmBanks::arm()
{
    if (!banks_.idle()) {
        const model::DramClock last = time_.from(now()) + clocks_at_once;
        notify_at(may_end_, time_.rising(std::min(banks_.may_end(), last)));
    }
    for (const Paced& transfer : paced_) {
        if (!transfer.moving) {
            notify_at(may_end_, transfer.next); // the sooner of two moments stands
        }
    }
}

void HbmBanks::declare_statistics(Statistics& statistics) const
{
    statistics.declare("dma_transfers", "Transfers that DMA engines have split into bursts.",
                       banks_.transfers_begun());
    statistics.declare("dma_bursts", "Bursts that DMA engines have offered to HBM channels.",
                       banks_.bursts_begun());
    statistics.declare("hbm_rows_opened", "DRAM rows that HBM's banks have opened.",
                       banks_.activates());
}

} // namespace alxsim::sim
