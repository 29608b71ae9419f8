// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/dram_channel.h"

#include <algorithm>

namespace alxsim::model {
namespace {

/// Clocks in which the data bus turns round from read to write. Assumed: one.
constexpr DramClock bus_turnaround = 1;

void no_sooner(DramClock& earliest, DramClock than)
{
    earliest = std::max(earliest, than);
}

} // namespace

DramChannel::DramChannel(const topologies::HbmSpec& spec)
    : time_(spec.timing),
      queue_length_(static_cast<std::size_t>(spec.transaction_queue)),
      banks_per_group_(static_cast<std::size_t>(spec.banks_per_group)),
      bank_queue_(static_cast<std::size_t>(spec.bank_queue)),
      banks_(static_cast<std::size_t>(spec.banks())),
      wanted_(banks_.size()),
      groups_(static_cast<std::size_t>(spec.bank_groups)),
      room_(~BankSet{0} >> (64 - banks_.size())),
      reads_(banks_.size()),
      writes_(banks_.size()),
      refresh_due_(spec.timing.refresh_interval)
{
    last_activates_.fill(-spec.timing.faw);
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
        banks_[bank].group = static_cast<std::uint32_t>(bank / banks_per_group_);
    }
}

// --- Queues

void DramChannel::accept(const DramRequest& request, DramClock now)
{
    if (waiting_ == 0) {
        catch_up_refreshes(now);
    }
    ++waiting_;
    const std::size_t bank = static_cast<std::size_t>(request.bank_group) * banks_per_group_ +
                             static_cast<std::size_t>(request.bank);
    (request.write ? writes_ : reads_)
        .push(requests_, bank,
              requests_.add({request.row, request.tag, order_++, request.write, false}));
    choose_direction();
    if (can_move()) {
        next_action_ = std::min(next_action_, now);
    }
}

/// Refreshes that fell into an idle time have been done when they were due.
void DramChannel::catch_up_refreshes(DramClock now)
{
    if (now < refresh_due_) {
        return;
    }
    const DramClock last =
        refresh_due_ + (now - refresh_due_) / time_.refresh_interval * time_.refresh_interval;
    for (Bank& bank : banks_) {
        bank.open_row = closed;
        no_sooner(bank.may_activate, last + time_.rp + time_.refresh);
    }
    refresh_due_ = last + time_.refresh_interval;
}

/// Writes are drained when they fill their queue, or when there is nothing to read.
void DramChannel::choose_direction()
{
    if (draining_ == 0 && (!has_room(true) || reads_.size() == 0)) {
        draining_ = writes_.size();
    }
}

/// Moves the oldest request whose bank has room; one a clock.
void DramChannel::move_to_bank(DramClock now)
{
    TransactionQueue& from = source();
    const BankSet movable = from.banks() & room_;
    if (movable == 0) {
        return;
    }
    const std::size_t bank = from.oldest(requests_, movable);
    const WaitingRequest request = from.pop(requests_, bank);
    draining_ -= draining_ > 0 ? 1 : 0;
    choose_direction();
    arrived(bank, request, now);
}

/// What the bank wants changes if it wanted nothing, or to close the row that this one needs.
void DramChannel::arrived(std::size_t index, const WaitingRequest& request, DramClock now)
{
    Bank& bank = banks_[index];
    const bool was_empty = bank.queue.empty();
    const bool no_hit = bank.hit == bank.queue.size();
    const bool hits = request.row == bank.open_row;
    bank.hit += no_hit && !hits ? 1 : 0;
    bank.queue.push(request);
    if (bank.queue.size() == bank_queue_) {
        room_ &= ~set_of(index);
    }
    if (was_empty || (no_hit && hits)) {
        want_open_or_closed_row(index, now);
    }
}

// --- Choosing commands

void DramChannel::want_open_or_closed_row(std::size_t index, DramClock now)
{
    const Bank& bank = banks_[index];
    if (bank.queue.empty()) {
        want_nothing(index);
    } else if (bank.open_row == closed) {
        want(index, to_activate, bank.may_activate, bank.queue[0].order, now);
    } else if (bank.hit == bank.queue.size()) {
        want(index, to_precharge, bank.may_precharge, bank.queue[0].order, now);
    } else {
        const WaitingRequest& hit = bank.queue[bank.hit];
        want(index, hit.write ? to_write : to_read, bank.may_access, hit.order, now);
    }
}

/// Takes back what the bank wanted before.
void DramChannel::want_nothing(std::size_t bank)
{
    const std::size_t kind = kind_of(wanted_[bank].command);
    if ((wanting_[kind] & set_of(bank)) != 0) {
        wanting_[kind] &= ~set_of(bank);
        unknown_ |= static_cast<unsigned>(choices_[kind].bank == bank) << kind;
    }
}

/// From `now` on: it may be better than the choice among the others.
void DramChannel::want(std::size_t index, Command command, DramClock ready, std::int64_t order,
                       DramClock now)
{
    want_nothing(index);
    const std::size_t kind = kind_of(command);
    Wanted& wanted = wanted_[index];
    wanted = {ready, order, banks_[index].group, command};
    wanting_[kind] |= set_of(index);
    const DramClock at = legal(wanted, now);
    Choice& best = choices_[kind];
    if (at < best.clock || (at == best.clock && wanted.order < best.order)) {
        best = {at, wanted.order, index};
    }
}

/// The next command of a kind. Times before `now` count as `now`, so that age decides.
void DramChannel::search(std::size_t kind, DramClock now)
{
    // One number to compare by, without branches: clocks from now, then age.
    constexpr int age_bits = 40;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t best = none;
    std::size_t bank_of_best = 0;
    for (BankSet banks = wanting_[kind]; banks != 0; banks &= banks - 1) {
        const std::size_t bank = first_of(banks);
        const Wanted& wanted = wanted_[bank];
        const std::int64_t key = ((legal(wanted, now) - now) << age_bits) + wanted.order;
        // Compilers make a jump of `key < best ? ... : ...`; half of them would be predicted
        // wrongly.
        const std::int64_t better = -static_cast<std::int64_t>(key < best);
        bank_of_best ^= (bank_of_best ^ bank) & static_cast<std::size_t>(better);
        best ^= (best ^ key) & better;
    }
    const std::int64_t order = best & ((std::int64_t{1} << age_bits) - 1);
    choices_[kind] =
        best == none ? Choice{} : Choice{now + (best >> age_bits), order, bank_of_best};
}

void DramChannel::search_unknown(DramClock now)
{
    for (; unknown_ != 0; unknown_ &= unknown_ - 1) {
        search(first_of(unknown_), now);
    }
}

// --- Commands

void DramChannel::issue_column(std::size_t index, DramClock now, std::vector<DramDone>& done)
{
    Bank& bank = banks_[index];
    const WaitingRequest issued = bank.queue[bank.hit];
    Earliest& group = groups_[bank.group];
    const DramClock next = now + std::max(time_.burst, time_.ccd_short);
    const DramClock next_in_group = now + std::max(time_.burst, time_.ccd_long);
    no_sooner(channel_[to_read], next);
    no_sooner(channel_[to_write], next);
    no_sooner(group[to_read], next_in_group);
    no_sooner(group[to_write], next_in_group);
    DramClock data_end = now + time_.burst;
    if (issued.write) {
        data_end += time_.cwl;
        no_sooner(channel_[to_read], data_end + time_.wtr_short);
        no_sooner(group[to_read], data_end + time_.wtr_long);
        no_sooner(bank.may_precharge, data_end + time_.wr);
    } else {
        data_end += time_.cl;
        no_sooner(channel_[to_write], data_end + bus_turnaround - time_.cwl);
        no_sooner(bank.may_precharge, now + time_.rtp);
    }
    done.push_back({issued.tag, data_end});
    row_hits_ += issued.activated_for ? 0 : 1;
    bank.queue.erase(bank.hit);
    bank.hit = bank.queue.find(bank.open_row, bank.hit);
    --waiting_;
    room_ |= set_of(index);
    choose_again(to_read);
    want_open_or_closed_row(index, now + 1);
}

void DramChannel::issue_activate(std::size_t index, DramClock now)
{
    Bank& bank = banks_[index];
    WaitingRequest& oldest = bank.queue[0];
    oldest.activated_for = true;
    ++activates_;
    bank.open_row = oldest.row;
    bank.hit = 0;
    bank.may_access = now + time_.rcd;
    bank.may_precharge = now + time_.ras;
    last_activates_[oldest_activate_] = now;
    oldest_activate_ = (oldest_activate_ + 1) % last_activates_.size();
    groups_[bank.group][to_activate] = now + time_.rrd_long;
    channel_[to_activate] =
        std::max(now + time_.rrd_short, last_activates_[oldest_activate_] + time_.faw);
    choose_again(to_activate);
    want(index, oldest.write ? to_write : to_read, bank.may_access, oldest.order, now + 1);
}

void DramChannel::issue_precharge(std::size_t index, DramClock now)
{
    Bank& bank = banks_[index];
    bank.open_row = closed;
    bank.hit = bank.queue.size();
    no_sooner(bank.may_activate, now + time_.rp);
    choose_again(to_precharge);
    want_open_or_closed_row(index, now + 1);
}

/// When it is due: closes one bank a clock, then refreshes them all. Returns whether the channel is
/// still at it.
bool DramChannel::refresh(DramClock now)
{
    unknown_ = (1U << kinds) - 1;
    DramClock next = now;
    bool open = false;
    for (std::size_t index = 0; index < banks_.size(); ++index) {
        const Bank& bank = banks_[index];
        if (bank.open_row == closed) {
            next = open ? next : std::max(next, bank.may_activate);
        } else if (bank.may_precharge <= now) {
            issue_precharge(index, now);
            next_action_ = now + 1;
            return true;
        } else {
            next = open ? std::min(next, bank.may_precharge) : bank.may_precharge;
            open = true;
        }
    }
    if (open || next > now) {
        next_action_ = std::max(next, now + 1);
        return true;
    }
    for (std::size_t index = 0; index < banks_.size(); ++index) {
        banks_[index].may_activate = now + time_.refresh;
        wanted_[index].bank_ready =
            now + time_.refresh; // all of them want to activate, if anything
    }
    refresh_due_ += time_.refresh_interval;
    return false;
}

/// In one piece: calls are a seventh of its instructions.
[[gnu::flatten]] void DramChannel::act(DramClock now, std::vector<DramDone>& done)
{
    move_to_bank(now);
    if (now >= refresh_due_ && refresh(now)) {
        return;
    }
    search_unknown(now);
    const auto& [activate, precharge, column] = choices_;
    // The row bus carries one command a clock: the older request's.
    const bool two_rows = activate.clock == now && precharge.clock == now;
    const bool activates = activate.clock == now && !(two_rows && precharge.order < activate.order);
    const bool precharges = precharge.clock == now && !activates;
    const std::size_t row_bank = activates ? activate.bank : precharge.bank;
    if (two_rows) {
        choose_again(to_activate);
        choose_again(to_precharge);
    }
    if (column.clock == now) {
        issue_column(column.bank, now, done);
    }
    if (activates) {
        issue_activate(row_bank, now);
    } else if (precharges) {
        issue_precharge(row_bank, now);
    }
    plan(now);
}

void DramChannel::plan(DramClock now)
{
    if (waiting_ == 0) {
        next_action_ = never;
    } else if (can_move()) { // it may change what the next command is
        next_action_ = now + 1;
    } else {
        search_unknown(now + 1);
        next_action_ = std::max(refresh_due_, now + 1);
        for (const Choice& choice : choices_) {
            next_action_ = std::min(next_action_, choice.clock);
        }
    }
}

} // namespace alxsim::model
