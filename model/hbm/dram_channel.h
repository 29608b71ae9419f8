// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/request_lists.h"
#include "topologies/hbm_spec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace alxsim::model {

/// Clocks of an HBM channel.
using DramClock = std::int64_t;
constexpr DramClock never = std::numeric_limits<DramClock>::max();

/// A burst whose last byte crosses the data bus at `clock`.
struct DramDone {
    std::int64_t tag = 0;
    DramClock clock = 0;
};

/// One HBM channel with its controller: banks with open rows, an activate/precharge/refresh clock
/// each, and first-ready first-come-first-served (FR-FCFS, Rixner et al. 2000): of the requests
/// that wait at the banks, the oldest whose row is open goes first; a row is closed when no waiting
/// request wants it. Row and column commands have a bus each, as HBM has. Writes gather until
/// their queue is full, or nothing is to be read, and are then drained. Refresh closes and stops
/// the whole channel (tRFC every tREFI).
///
/// Never ticks: `next_action()` says when the next command is legal. Plain: who owns it brings the
/// time (the chip of the simulator and the replay that measures rates run the same one). The next
/// activate, precharge and column are each kept until one of that kind was issued, and the banks
/// that want one are bits of a word. tests/property/dram_channel_test.cpp holds it to a channel
/// that ticks and searches all.
/// Left out: temperature, self-refresh, per-bank refresh, ECC, read-after-write forwarding.
class DramChannel {
public:
    /// Has at most BankSet's banks (read_hbm sees to it).
    explicit DramChannel(const topologies::HbmSpec& spec);

    /// Whether a request of this direction would be taken now.
    bool has_room(bool write) const { return (write ? writes_ : reads_).size() < queue_length_; }
    /// Takes a request at `now`, which is not before any earlier call's.
    void accept(const DramRequest& request, DramClock now);
    /// The next clock at which something can be done: `never` if nothing waits.
    DramClock next_action() const { return next_action_; }
    /// Does all that is due at `now` (= next_action()); appends the bursts whose columns it issued.
    void act(DramClock now, std::vector<DramDone>& done);

    std::int64_t activates() const { return activates_; }
    std::int64_t row_hits() const { return row_hits_; }

private:
    enum Command : std::uint8_t { to_activate, to_precharge, to_read, to_write };
    static constexpr std::size_t commands = 4;
    /// Activate, precharge, and columns of both directions.
    static constexpr std::size_t kinds = 3;
    using Earliest = std::array<DramClock, commands>;
    static std::size_t kind_of(Command command) { return std::min<std::size_t>(command, to_read); }

    static constexpr std::int64_t closed = -1;
    struct Bank {
        std::int64_t open_row = closed;
        DramClock may_activate = 0;
        DramClock may_precharge = 0;
        DramClock may_access = 0; ///< tRCD after the activate
        BankQueue queue;
        std::size_t hit = 0; ///< the oldest of the queue that wants the open row; its size: none
        std::uint32_t group = 0;
    };
    /// The command that a bank wants next: known until its queue or its row changes.
    struct Wanted {
        DramClock bank_ready = 0; ///< as far as the bank alone is concerned
        std::int64_t order = 0;   ///< of the request that it is for
        std::uint32_t group = 0;
        Command command = to_activate;
    };
    /// The best command of one kind: the earliest legal; of those legal then, the oldest.
    struct Choice {
        DramClock clock = never;
        std::int64_t order = 0;
        std::size_t bank = 0;
    };

    void catch_up_refreshes(DramClock now);
    TransactionQueue& source() { return draining_ > 0 ? writes_ : reads_; }
    bool can_move() { return (source().banks() & room_) != 0; }
    void choose_direction();
    void move_to_bank(DramClock now);
    void arrived(std::size_t bank, const WaitingRequest& request, DramClock now);

    void want(std::size_t bank, Command command, DramClock ready, std::int64_t order,
              DramClock now);
    void want_nothing(std::size_t bank);
    void choose_again(std::size_t kind) { unknown_ |= 1U << kind; }
    void want_open_or_closed_row(std::size_t bank, DramClock now);
    DramClock legal(const Wanted& wanted, DramClock now) const
    {
        return std::max(std::max(now, wanted.bank_ready),
                        std::max(groups_[wanted.group][wanted.command], channel_[wanted.command]));
    }
    void search(std::size_t kind, DramClock now);
    void search_unknown(DramClock now);
    void issue_column(std::size_t bank, DramClock now, std::vector<DramDone>& done);
    void issue_activate(std::size_t bank, DramClock now);
    void issue_precharge(std::size_t bank, DramClock now);
    bool refresh(DramClock now);
    void plan(DramClock now);

    topologies::DramTiming time_;
    std::size_t queue_length_;
    std::size_t banks_per_group_;
    std::size_t bank_queue_;
    std::vector<Bank> banks_;
    std::vector<Wanted> wanted_;           ///< by each bank that is in `wanting_`
    std::array<BankSet, kinds> wanting_{}; ///< the banks that want a command of this kind
    std::array<Choice, kinds> choices_;    ///< among them
    unsigned unknown_ = 0;                 ///< kinds whose choice may not be the best any more
    std::vector<Earliest> groups_;         ///< as far as each bank group is concerned
    Earliest channel_{};
    BankSet room_;             ///< banks whose queue is not full
    WaitingRequests requests_; ///< of both directions, not yet at their bank
    TransactionQueue reads_, writes_;
    std::size_t draining_ = 0; ///< writes still to be moved to the banks
    std::size_t waiting_ = 0;  ///< requests not yet issued
    std::int64_t order_ = 0;
    std::array<DramClock, 4> last_activates_; ///< a ring
    std::size_t oldest_activate_ = 0;
    DramClock refresh_due_;
    DramClock next_action_ = never;
    std::int64_t activates_ = 0;
    std::int64_t row_hits_ = 0;
};

} // namespace alxsim::model
