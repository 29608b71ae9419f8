// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// One burst that is to be moved.
struct DramRequest {
    int bank_group = 0;
    int bank = 0; ///< within its group
    std::int64_t row = 0;
    bool write = false;
    std::int64_t tag = 0; ///< handed back when it is done
};

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
/// time (the SystemC channel and the replay that measures rates run the same one).
/// Left out: temperature, self-refresh, per-bank refresh, ECC, read-after-write forwarding.
class DramChannel {
public:
    explicit DramChannel(const topologies::HbmSpec& spec);

    /// Whether a request of this direction would be taken now.
    bool has_room(bool write) const
    {
        return static_cast<int>((write ? writes_ : reads_).size()) < spec_.transaction_queue;
    }
    /// Takes a request at `now`, which is not before any earlier call's.
    void accept(const DramRequest& request, DramClock now);
    /// The next clock at which something can be done: `never` if nothing waits.
    DramClock next_action() const { return next_action_; }
    /// Does all that is due at `now` (= next_action()); appends the bursts whose columns it issued.
    void act(DramClock now, std::vector<DramDone>& done);

    std::int64_t activates() const { return activates_; }
    std::int64_t row_hits() const { return row_hits_; }

private:
    struct Waiting {
        DramRequest request;
        std::int64_t order = 0;
        int bank = 0;
        bool activated_for = false; ///< its row was opened for it
    };
    struct Bank {
        std::vector<Waiting> queue; ///< oldest first
        std::int64_t open_row = closed;
        DramClock may_activate = 0;
        DramClock may_precharge = 0;
        DramClock may_access = 0; ///< tRCD after the activate
    };
    enum Command : std::uint8_t { to_activate, to_precharge, to_read, to_write };
    static constexpr std::size_t commands = 4;
    using Earliest = std::array<DramClock, commands>;
    /// The command that a bank wants next: known until its queue or its row changes.
    struct Wanted {
        DramClock bank_ready = never; ///< as far as the bank alone is concerned
        std::int64_t order = -1;      ///< of the request that it is for
        int position = 0;             ///< in the bank's queue
        Command command = to_activate;
    };
    /// The best command of one kind: the earliest legal; of those legal then, the oldest.
    struct Choice {
        DramClock clock = never;
        std::int64_t order = 0;
        int bank = -1;
    };
    /// One for each of activate, precharge and columns of both directions.
    using Choices = std::array<Choice, 3>;
    static std::size_t kind_of(Command command) { return std::min<std::size_t>(command, to_read); }
    static constexpr std::int64_t closed = -1;
    static constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

    Earliest& group_of(int bank)
    {
        return groups_[static_cast<std::size_t>(bank / spec_.banks_per_group)];
    }
    void catch_up_refreshes(DramClock now);
    std::vector<Waiting>& source() { return draining_ > 0 ? writes_ : reads_; }
    bool can_move(const Waiting& waiting) const
    {
        return room_[static_cast<std::size_t>(waiting.bank)] > 0;
    }
    bool choose_direction();
    void find_movable();
    void move_to_bank(DramClock now);

    void update_wanted(int bank);
    void reconsider(int bank, DramClock now);
    void find_commands(DramClock now);
    void issue_column(int bank, DramClock now, std::vector<DramDone>& done);
    void issue_activate(int bank, DramClock now);
    void issue_precharge(int bank, DramClock now);
    bool refresh(DramClock now);
    void plan(DramClock now);

    topologies::HbmSpec spec_;
    topologies::DramTiming time_;
    std::vector<Bank> banks_;
    std::vector<int> room_;        ///< left in each bank's queue
    std::vector<Wanted> wanted_;   ///< by each bank
    std::vector<Earliest> groups_; ///< of each bank group
    Earliest channel_{};
    std::vector<Waiting> reads_, writes_; ///< not yet at their bank, oldest first
    int draining_ = 0;                    ///< writes still to be moved to the banks
    std::size_t movable_ = nothing;       ///< position in source()
    std::int64_t order_ = 0;
    std::int64_t waiting_ = 0;              ///< requests not yet issued
    std::vector<DramClock> last_activates_; ///< ring of four
    std::size_t oldest_activate_ = 0;
    DramClock refresh_due_;
    Choices choices_;
    bool planned_ = false; ///< `choices_` are still the best
    DramClock next_action_ = never;
    std::int64_t activates_ = 0;
    std::int64_t row_hits_ = 0;
};

} // namespace alxsim::model
