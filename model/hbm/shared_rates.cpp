// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/shared_rates.h"

#include <algorithm>

namespace alxsim::model {
namespace {

/// What double arithmetic may leave over of a finished transfer: picoseconds of work, and a share
/// of large ones.
constexpr double residue_work = 1e-3;
constexpr double residue_share = 1e-12;

} // namespace

void SharedRates::start(int id, const HbmCost& cost, Picoseconds now)
{
    progress(now);
    const auto work = static_cast<double>(std::max<std::int64_t>(1, cost.busy.count()));
    const double fastest = std::min(capacity_, work / static_cast<double>(cost.alone.count()));
    transfers_.push_back({id, work, std::max(residue_work, residue_share * work), fastest, 0});
    share_out();
}

void SharedRates::progress(Picoseconds now)
{
    const auto elapsed = static_cast<double>((now - progressed_to_).count());
    for (Transfer& transfer : transfers_) {
        transfer.remaining -= elapsed * transfer.rate;
    }
    progressed_to_ = now;
}

/// Equal shares, and what a transfer cannot use goes to the others.
void SharedRates::share_out()
{
    for (Transfer& transfer : transfers_) {
        transfer.rate = 0;
    }
    double left = capacity_;
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

void SharedRates::finish(Picoseconds now, std::vector<int>& over)
{
    progress(now);
    const auto is_over = [](const Transfer& transfer) {
        return transfer.remaining <= transfer.residue;
    };
    for (const Transfer& transfer : transfers_) {
        if (is_over(transfer)) {
            over.push_back(transfer.id);
        }
    }
    transfers_.erase(std::remove_if(transfers_.begin(), transfers_.end(), is_over),
                     transfers_.end());
    share_out();
}

std::optional<Picoseconds> SharedRates::next() const
{
    double wait = -1;
    for (const Transfer& transfer : transfers_) {
        const double left = std::max(0.0, transfer.remaining - residue_work) / transfer.rate;
        wait = wait < 0 ? left : std::min(wait, left);
    }
    return wait < 0 ? std::nullopt : std::optional(progressed_to_ + Picoseconds(rounded_up(wait)));
}

} // namespace alxsim::model
