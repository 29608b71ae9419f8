// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/dram_channel.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace alxsim::model {

/// What DramChannel says it is, as plainly as it can be written: it does something every clock,
/// looks at every request, and asks for each command whether all commands before it allow it.
class TickingDramChannel {
public:
    explicit TickingDramChannel(const topologies::HbmSpec& spec)
        : spec_(spec),
          time_(spec.timing),
          banks_(static_cast<std::size_t>(spec.banks())),
          refresh_due_(time_.refresh_interval)
    {
    }

    bool has_room(bool of_writes) const
    {
        return static_cast<int>((of_writes ? writes_ : reads_).size()) < spec_.transaction_queue;
    }

    void accept(const DramRequest& request, DramClock now)
    {
        if (waiting_ == 0) {
            refresh_while_idle(now);
        }
        ++waiting_;
        const int bank = request.bank_group * spec_.banks_per_group + request.bank;
        (request.write ? writes_ : reads_).push_back({request, order_++, bank, false});
        came_ = true;
        choose_direction();
    }

    /// After what comes in this clock has come.
    void tick(DramClock now, std::vector<DramDone>& done)
    {
        // While rows are closed for a refresh, queues are looked at when one can be closed, or when
        // a request comes.
        const bool sleeps = now < sleeps_until_ && !came_;
        came_ = false;
        if (waiting_ == 0 || sleeps) {
            return;
        }
        move_one();
        if (now < refresh_due_ || refresh(now)) {
            issue(now, done);
        }
    }

    /// What is too old to matter.
    void forget(DramClock before)
    {
        log_.erase(log_.begin(),
                   std::find_if(log_.begin(), log_.end(),
                                [&](const Command& command) { return command.clock >= before; }));
    }

    std::int64_t activates() const { return activates_; }
    std::int64_t row_hits() const { return row_hits_; }

private:
    struct Request {
        DramRequest what;
        std::int64_t order;
        int bank;
        bool activated_for;
    };
    struct Bank {
        std::optional<std::int64_t> open_row;
        std::vector<Request> queue; ///< oldest first
        DramClock refreshed = 0;    ///< no activate before
    };
    enum Kind { activate, precharge, read, write };
    struct Command {
        Kind kind;
        int bank;
        DramClock clock;
    };

    // --- Queues

    void choose_direction()
    {
        if (drain_ == 0 && (!has_room(true) || reads_.empty())) {
            drain_ = writes_.size();
        }
    }

    void move_one()
    {
        std::vector<Request>& from = drain_ > 0 ? writes_ : reads_;
        const auto moved = std::find_if(from.begin(), from.end(), [&](const Request& request) {
            return static_cast<int>(at(request.bank).queue.size()) < spec_.bank_queue;
        });
        if (moved != from.end()) {
            at(moved->bank).queue.push_back(*moved);
            from.erase(moved);
            drain_ -= drain_ > 0 ? 1 : 0;
            choose_direction();
        }
    }

    // --- Refresh

    void refresh_while_idle(DramClock now)
    {
        for (; refresh_due_ <= now; refresh_due_ += time_.refresh_interval) {
            for (Bank& bank : banks_) {
                bank.open_row.reset();
                bank.refreshed = std::max(bank.refreshed, refresh_due_ + time_.rp + time_.refresh);
            }
        }
    }

    /// Returns whether it is over.
    bool refresh(DramClock now)
    {
        sleeps_until_ = now + 1;
        for (int bank = 0; bank < spec_.banks(); ++bank) {
            if (at(bank).open_row && allowed({precharge, bank, now})) {
                do_precharge(bank, now);
                return false;
            }
        }
        const bool open = std::any_of(banks_.begin(), banks_.end(),
                                      [](const Bank& bank) { return bank.open_row.has_value(); });
        const Kind next = open ? precharge : activate;
        const auto may = [&](DramClock clock) {
            int those = 0;
            for (int bank = 0; bank < spec_.banks(); ++bank) {
                const bool counts = !open || at(bank).open_row;
                those += counts && bank_allows({next, bank, clock}) ? 1 : 0;
            }
            return open ? those > 0 : those == spec_.banks();
        };
        if (!open && may(now)) {
            for (Bank& bank : banks_) {
                bank.refreshed = now + time_.refresh;
            }
            refresh_due_ += time_.refresh_interval;
            sleeps_until_ = 0;
            return true;
        }
        while (!may(sleeps_until_)) {
            ++sleeps_until_;
        }
        return false;
    }

    // --- Commands

    /// The oldest request that wants the open row of its bank.
    const Request* hit(const Bank& bank) const
    {
        const auto found =
            std::find_if(bank.queue.begin(), bank.queue.end(),
                         [&](const Request& request) { return request.what.row == bank.open_row; });
        return found == bank.queue.end() ? nullptr : &*found;
    }

    /// Returns the oldest of all banks' next requests that this kind of command serves and that may
    /// be served now.
    template <class Serves>
    const Request* oldest(DramClock now, const Serves& serves) const
    {
        const Request* best = nullptr;
        for (const Bank& bank : banks_) {
            if (bank.queue.empty()) {
                continue;
            }
            const Request* const wanted = hit(bank);
            const Request& request = wanted != nullptr ? *wanted : bank.queue.front();
            const Kind kind = !bank.open_row       ? activate
                              : wanted == nullptr  ? precharge
                              : request.what.write ? write
                                                   : read;
            if (serves(kind) && allowed({kind, request.bank, now}) &&
                (best == nullptr || request.order < best->order)) {
                best = &request;
            }
        }
        return best;
    }

    void issue(DramClock now, std::vector<DramDone>& done)
    {
        const auto of = [](Kind wanted) { return [wanted](Kind kind) { return kind == wanted; }; };
        const Request* const opens = oldest(now, of(activate));
        const Request* const closes = oldest(now, of(precharge));
        const Request* const column =
            oldest(now, [](Kind kind) { return kind == read || kind == write; });
        const bool opening =
            opens != nullptr && (closes == nullptr || opens->order < closes->order);
        const int open_bank = opening ? opens->bank : -1;
        const int close_bank = !opening && closes != nullptr ? closes->bank : -1;
        if (column != nullptr) {
            do_column(*column, now, done);
        }
        if (open_bank >= 0) {
            Bank& bank = at(open_bank);
            bank.open_row = bank.queue.front().what.row;
            bank.queue.front().activated_for = true;
            ++activates_;
            log_.push_back({activate, open_bank, now});
        } else if (close_bank >= 0) {
            do_precharge(close_bank, now);
        }
    }

    void do_precharge(int bank, DramClock now)
    {
        at(bank).open_row.reset();
        log_.push_back({precharge, bank, now});
    }

    void do_column(const Request& request, DramClock now, std::vector<DramDone>& done)
    {
        const bool writes = request.what.write;
        log_.push_back({writes ? write : read, request.bank, now});
        done.push_back({request.what.tag, now + (writes ? time_.cwl : time_.cl) + time_.burst});
        row_hits_ += request.activated_for ? 0 : 1;
        --waiting_;
        std::vector<Request>& queue = at(request.bank).queue;
        queue.erase(queue.begin() + (&request - queue.data()));
    }

    // --- Timing, as a data sheet has it: from each command before to this one

    DramClock between(const Command& before, const Command& next) const
    {
        const bool same_bank = before.bank == next.bank;
        const bool same_group =
            before.bank / spec_.banks_per_group == next.bank / spec_.banks_per_group;
        switch (next.kind) {
        case activate:
            return std::max(same_bank && before.kind == precharge ? time_.rp : 0,
                            before.kind != activate ? 0
                            : same_group            ? std::max(time_.rrd_long, time_.rrd_short)
                                                    : time_.rrd_short);
        case precharge:
            return !same_bank                ? 0
                   : before.kind == activate ? time_.ras
                   : before.kind == read     ? time_.rtp
                   : before.kind == write    ? time_.cwl + time_.burst + time_.wr
                                             : 0;
        case read:
        case write:
            return before_column(before, next.kind, same_bank, same_group);
        }
        return 0;
    }

    DramClock before_column(const Command& before, Kind next, bool same_bank, bool same_group) const
    {
        if (before.kind == activate) {
            return same_bank ? time_.rcd : 0;
        }
        if (before.kind == precharge) {
            return 0;
        }
        DramClock clocks =
            std::max({time_.burst, time_.ccd_short, same_group ? time_.ccd_long : time_.ccd_short});
        if (before.kind == write && next == read) {
            const DramClock turn =
                same_group ? std::max(time_.wtr_long, time_.wtr_short) : time_.wtr_short;
            clocks = std::max(clocks, time_.cwl + time_.burst + turn);
        }
        if (before.kind == read && next == write) {
            clocks = std::max(clocks, time_.cl + time_.burst + 1 - time_.cwl);
        }
        return clocks;
    }

    bool bank_allows(const Command& next) const
    {
        return std::all_of(log_.begin(), log_.end(),
                           [&](const Command& before) {
                               return before.bank != next.bank ||
                                      next.clock >= before.clock + alone(before, next);
                           }) &&
               (next.kind != activate || next.clock >= at(next.bank).refreshed);
    }

    /// Returns the gap of the bank itself; of activates that to a precharge alone.
    DramClock alone(const Command& before, const Command& next) const
    {
        return next.kind == activate && before.kind == activate ? 0 : between(before, next);
    }

    bool allowed(const Command& next) const
    {
        int activates = 0;
        for (auto before = log_.rbegin(); before != log_.rend(); ++before) {
            activates += before->kind == activate ? 1 : 0;
            const bool fourth = before->kind == activate && activates == 4;
            const DramClock window = next.kind == activate && fourth ? time_.faw : 0;
            if (next.clock < before->clock + std::max(window, between(*before, next))) {
                return false;
            }
        }
        return next.kind != activate || next.clock >= at(next.bank).refreshed;
    }

    Bank& at(int bank) { return banks_[static_cast<std::size_t>(bank)]; }
    const Bank& at(int bank) const { return banks_[static_cast<std::size_t>(bank)]; }

    topologies::HbmSpec spec_;
    topologies::DramTiming time_;
    std::vector<Bank> banks_;
    std::vector<Request> reads_, writes_;
    std::size_t drain_ = 0;
    std::int64_t waiting_ = 0;
    std::int64_t order_ = 0;
    bool came_ = false;
    DramClock sleeps_until_ = 0;
    DramClock refresh_due_;
    std::vector<Command> log_;
    std::int64_t activates_ = 0;
    std::int64_t row_hits_ = 0;
};

} // namespace alxsim::model
