// SPDX-License-Identifier: Apache-2.0
#include "sim/hbm_fluid.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace alxsim::sim {
namespace {

/// What double arithmetic may leave over of a finished transfer: bytes, and a share of large ones.
constexpr double residue_bytes = 1e-3;
constexpr double residue_share = 1e-12;

} // namespace

HbmFluid::HbmFluid(const sc_core::sc_module_name& name, double bytes_per_second)
    : sc_core::sc_module(name),
      bytes_per_picosecond_(bytes_per_second * 1e-12)
{
    SC_HAS_PROCESS(HbmFluid);
    SC_METHOD(serve);
    sensitive << next_done_;
    dont_initialize();
}

void HbmFluid::transfer(Bytes bytes, std::function<void()> done)
{
    progress();
    bytes_moved_ += bytes;
    const auto size = static_cast<double>(bytes.count());
    transfers_.push_back({size, std::max(residue_bytes, residue_share * size), std::move(done)});
    arm();
}

void HbmFluid::progress()
{
    if (!transfers_.empty()) {
        const double elapsed = static_cast<double>((now() - progressed_to_).count());
        const double moved =
            elapsed * bytes_per_picosecond_ / static_cast<double>(transfers_.size());
        for (Transfer& transfer : transfers_) {
            transfer.remaining -= moved;
        }
    }
    progressed_to_ = now();
}

void HbmFluid::serve()
{
    progress();
    std::vector<std::function<void()>> finished;
    const auto still_moving =
        std::stable_partition(transfers_.begin(), transfers_.end(), [](const Transfer& transfer) {
            return transfer.remaining <= transfer.residue;
        });
    for (auto transfer = transfers_.begin(); transfer != still_moving; ++transfer) {
        finished.push_back(std::move(transfer->done));
    }
    transfers_.erase(transfers_.begin(), still_moving);
    arm();
    for (const std::function<void()>& done : finished) {
        done();
    }
}

void HbmFluid::arm()
{
    next_done_.cancel();
    if (transfers_.empty()) {
        return;
    }
    const auto shortest = std::min_element(
        transfers_.begin(), transfers_.end(),
        [](const Transfer& a, const Transfer& b) { return a.remaining < b.remaining; });
    const double rate = bytes_per_picosecond_ / static_cast<double>(transfers_.size());
    const double wait = std::ceil(std::max(0.0, shortest->remaining - residue_bytes) / rate);
    notify_at(next_done_, now() + Picoseconds(static_cast<std::int64_t>(wait)));
}

} // namespace alxsim::sim
