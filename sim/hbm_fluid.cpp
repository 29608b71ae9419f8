// SPDX-License-Identifier: Apache-2.0
#include "sim/hbm_fluid.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace alxsim::sim {
namespace {

/// What double arithmetic may leave over of a finished transfer: picoseconds of work, and a share
/// of large ones.
constexpr double residue_work = 1e-3;
constexpr double residue_share = 1e-12;

} // namespace

HbmFluid::HbmFluid(const sc_core::sc_module_name& name, Alarms& alarms)
    : sc_core::sc_module(name),
      alarms_(alarms),
      alarm_(alarms.add(*this))
{
}

void HbmFluid::transfer(const model::HbmAccess& /*access*/, const model::HbmCost& cost,
                        std::function<void()> done)
{
    progress();
    bytes_moved_ += cost.bytes;
    const auto work = static_cast<double>(std::max<std::int64_t>(1, cost.busy.count()));
    const double fastest = std::min(1.0, work / static_cast<double>(cost.alone.count()));
    transfers_.push_back(
        {work, std::max(residue_work, residue_share * work), fastest, 0, std::move(done)});
    share_out();
    arm();
}

void HbmFluid::progress()
{
    const auto elapsed = static_cast<double>((now() - progressed_to_).count());
    for (Transfer& transfer : transfers_) {
        transfer.remaining -= elapsed * transfer.rate;
    }
    progressed_to_ = now();
}

/// Max-min fair: equal shares, and what a transfer cannot use goes to the others.
void HbmFluid::share_out()
{
    if (transfers_.empty()) {
        return;
    }
    for (Transfer& transfer : transfers_) {
        transfer.rate = 0;
    }
    double left = 1;
    std::size_t unserved = transfers_.size();
    bool settled = false;
    while (!settled && unserved > 0) {
        settled = true;
        const double fair = left / static_cast<double>(unserved);
        for (Transfer& transfer : transfers_) {
            if (transfer.rate == 0 && transfer.fastest < fair) {
                transfer.rate = transfer.fastest;
                left -= transfer.fastest;
                --unserved;
                settled = false;
            }
        }
    }
    for (Transfer& transfer : transfers_) {
        transfer.rate = transfer.rate == 0 ? left / static_cast<double>(unserved) : transfer.rate;
    }
}

void HbmFluid::serve()
{
    progress();
    const auto is_over = [](const Transfer& transfer) {
        return transfer.remaining <= transfer.residue;
    };
    for (Transfer& transfer : transfers_) {
        if (is_over(transfer)) {
            finished_.push_back(std::move(transfer.done));
        }
    }
    transfers_.erase(std::remove_if(transfers_.begin(), transfers_.end(), is_over),
                     transfers_.end());
    share_out();
    arm();
    for (const std::function<void()>& done : finished_) {
        done();
    }
    finished_.clear();
}

void HbmFluid::arm()
{
    double wait = -1;
    for (const Transfer& transfer : transfers_) {
        const double left = std::max(0.0, transfer.remaining - residue_work) / transfer.rate;
        wait = wait < 0 ? left : std::min(wait, left);
    }
    if (wait >= 0) {
        alarms_.set(alarm_, now() + Picoseconds(rounded_up(wait)));
    } else {
        alarms_.clear(alarm_);
    }
}

} // namespace alxsim::sim
