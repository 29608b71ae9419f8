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
        banks_[bank].group = bank / banks_per_group_;
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
        .push(bank, {request.row, request.tag, order_++, request.write, false});
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
    const BankSet movable = source().banks() & room_;
    if (movable == 0) {
        return;
    }
    const std::size_t index = source().oldest(movable);
    Bank& bank = banks_[index];
    bank.queue.push_back(source().pop(index));
    if (bank.hit == nothing && bank.queue.back().row == bank.open_row) {
        bank.hit = bank.queue.size() - 1;
    }
    if (bank.queue.size() == bank_queue_) {
        room_ &= ~set_of(index);
    }
    draining_ -= draining_ > 0 ? 1 : 0;
    choose_direction();
    if (update_wanted(index)) {
        consider(index, now);
    }
}

// --- Choosing commands

/// Returns whether the bank wants something now that it did not want before.
bool DramChannel::update_wanted(std::size_t index)
{
    const Bank& bank = banks_[index];
    Wanted& wanted = wanted_[index];
    const Wanted before = wanted;
    if (bank.queue.empty()) {
        wanted = {};
    } else if (bank.open_row == closed) {
        wanted = {bank.may_activate, bank.queue.front().order, to_activate, true};
    } else if (bank.hit == nothing) {
        wanted = {bank.may_precharge, bank.queue.front().order, to_precharge, true};
    } else {
        const WaitingRequest& hit = bank.queue[bank.hit];
        wanted = {bank.may_access, hit.order, hit.write ? to_write : to_read, true};
    }
    if (before.order == wanted.order && before.command == wanted.command) {
        return false;
    }
    if (before.any) {
        const std::size_t kind = kind_of(before.command);
        wanting_[kind] &= ~set_of(index);
        choices_[kind].known = choices_[kind].known && choices_[kind].bank != index;
    }
    if (wanted.any) {
        wanting_[kind_of(wanted.command)] |= set_of(index);
    }
    return wanted.any;
}

/// Whether what a bank wants now, from `now` on, is better than the choice among the others.
void DramChannel::consider(std::size_t bank, DramClock now)
{
    const Wanted& wanted = wanted_[bank];
    const DramClock at = std::max({now, wanted.bank_ready,
                                   groups_[banks_[bank].group][wanted.command],
                                   channel_[wanted.command]});
    Choice& best = choices_[kind_of(wanted.command)];
    if (at < best.clock || (at == best.clock && wanted.order < best.order)) {
        best = {at, wanted.order, bank, best.known};
    }
}

/// The next command of a kind. Times before `now` count as `now`, so that age decides.
void DramChannel::search(std::size_t kind, DramClock now)
{
    // One number to compare by, without branches: clocks from now, then age.
    constexpr int age_bits = 40;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t best = none;
    std::size_t bank_of_best = nothing;
    for (BankSet banks = wanting_[kind]; banks != 0; banks &= banks - 1) {
        const std::size_t bank = first_of(banks);
        const Wanted& wanted = wanted_[bank];
        const DramClock at = std::max(
            {now, wanted.bank_ready, groups_[banks_[bank].group][wanted.command],
             channel_[wanted.command]});
        const std::int64_t key = ((at - now) << age_bits) + wanted.order;
        bank_of_best = key < best ? bank : bank_of_best;
        best = std::min(best, key);
    }
    const std::int64_t order = best & ((std::int64_t{1} << age_bits) - 1);
    choices_[kind] =
        best == none ? Choice{} : Choice{now + (best >> age_bits), order, bank_of_best, true};
}

void DramChannel::search_unknown(DramClock now)
{
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (!choices_[kind].known) {
            search(kind, now);
        }
    }
}

void DramChannel::forget_choices()
{
    for (Choice& choice : choices_) {
        choice.known = false;
    }
}

// --- Commands

/// Takes what hits the open row, and finds the next that does.
void DramChannel::take_from_bank(Bank& bank)
{
    bank.queue.erase(bank.queue.begin() + static_cast<std::ptrdiff_t>(bank.hit));
    while (bank.hit < bank.queue.size() && bank.queue[bank.hit].row != bank.open_row) {
        ++bank.hit;
    }
    if (bank.hit == bank.queue.size()) {
        bank.hit = nothing;
    }
}

void DramChannel::issue_column(std::size_t index, DramClock now, std::vector<DramDone>& done)
{
    Bank& bank = banks_[index];
    Earliest& group = groups_[bank.group];
    const WaitingRequest issued = bank.queue[bank.hit];
    take_from_bank(bank);
    room_ |= set_of(index);
    --waiting_;
    row_hits_ += issued.activated_for ? 0 : 1;
    const DramClock next = now + std::max(time_.burst, time_.ccd_short);
    const DramClock next_in_group = now + std::max(time_.burst, time_.ccd_long);
    for (const Command command : {to_read, to_write}) {
        no_sooner(channel_[command], next);
        no_sooner(group[command], next_in_group);
    }
    if (issued.write) {
        const DramClock data_end = now + time_.cwl + time_.burst;
        no_sooner(channel_[to_read], data_end + time_.wtr_short);
        no_sooner(group[to_read], data_end + time_.wtr_long);
        no_sooner(bank.may_precharge, data_end + time_.wr);
        done.push_back({issued.tag, data_end});
    } else {
        const DramClock data_end = now + time_.cl + time_.burst;
        no_sooner(channel_[to_write], data_end + bus_turnaround - time_.cwl);
        no_sooner(bank.may_precharge, now + time_.rtp);
        done.push_back({issued.tag, data_end});
    }
    choices_[to_read].known = false;
    if (update_wanted(index)) {
        consider(index, now + 1);
    }
}

void DramChannel::issue_activate(std::size_t index, DramClock now)
{
    Bank& bank = banks_[index];
    bank.queue.front().activated_for = true;
    bank.hit = 0;
    ++activates_;
    bank.open_row = bank.queue.front().row;
    bank.may_access = now + time_.rcd;
    bank.may_precharge = now + time_.ras;
    last_activates_[oldest_activate_] = now;
    oldest_activate_ = (oldest_activate_ + 1) % last_activates_.size();
    groups_[bank.group][to_activate] = now + time_.rrd_long;
    channel_[to_activate] =
        std::max(now + time_.rrd_short, last_activates_[oldest_activate_] + time_.faw);
    choices_[to_activate].known = false;
    update_wanted(index);
    consider(index, now + 1);
}

void DramChannel::issue_precharge(std::size_t index, DramClock now)
{
    Bank& bank = banks_[index];
    bank.open_row = closed;
    bank.hit = nothing;
    no_sooner(bank.may_activate, now + time_.rp);
    choices_[to_precharge].known = false;
    if (update_wanted(index)) {
        consider(index, now + 1);
    }
}

/// Closes one bank a clock, then refreshes them all. Returns whether the channel is still at it.
bool DramChannel::refresh(DramClock now)
{
    if (now < refresh_due_) {
        return false;
    }
    forget_choices();
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
        wanted_[index].bank_ready = banks_[index].may_activate;
    }
    refresh_due_ += time_.refresh_interval;
    return false;
}

void DramChannel::act(DramClock now, std::vector<DramDone>& done)
{
    move_to_bank(now);
    if (refresh(now)) {
        return;
    }
    search_unknown(now);
    const auto [activate, precharge, column] = choices_;
    if (column.clock == now) {
        issue_column(column.bank, now, done);
    }
    // The row bus carries one command a clock: the older request's.
    const bool activates = activate.clock == now;
    const bool precharges = precharge.clock == now;
    if (activates && precharges) {
        choices_[to_activate].known = false;
        choices_[to_precharge].known = false;
    }
    if (activates && (!precharges || activate.order < precharge.order)) {
        issue_activate(activate.bank, now);
    } else if (precharges) {
        issue_precharge(precharge.bank, now);
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
