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
    : spec_(spec),
      time_(spec.timing),
      banks_(static_cast<std::size_t>(spec.banks())),
      room_(banks_.size(), spec.bank_queue),
      wanted_(banks_.size()),
      groups_(static_cast<std::size_t>(spec.bank_groups)),
      last_activates_(4, -spec.timing.faw),
      refresh_due_(spec.timing.refresh_interval)
{
}

// --- Queues

void DramChannel::accept(const DramRequest& request, DramClock now)
{
    if (waiting_ == 0) {
        catch_up_refreshes(now);
    }
    ++waiting_;
    std::vector<Waiting>& queue = request.write ? writes_ : reads_;
    const int bank = request.bank_group * spec_.banks_per_group + request.bank;
    queue.push_back({request, order_++, bank});
    if (choose_direction()) {
        find_movable();
    } else if (movable_ == nothing && &queue == &source() && can_move(queue.back())) {
        movable_ = queue.size() - 1;
    }
    next_action_ = std::min(next_action_, now);
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

/// Writes are drained when they fill their queue, or when there is nothing to read. Returns whether
/// the direction changed.
bool DramChannel::choose_direction()
{
    if (draining_ == 0 && (!has_room(true) || reads_.empty())) {
        draining_ = static_cast<int>(writes_.size());
        return draining_ > 0;
    }
    return false;
}

/// The oldest request whose bank has room.
void DramChannel::find_movable()
{
    const std::vector<Waiting>& from = source();
    std::size_t position = 0;
    while (position < from.size() && !can_move(from[position])) {
        ++position;
    }
    movable_ = position < from.size() ? position : nothing;
}

/// Moves the oldest request whose bank has room; one a clock.
void DramChannel::move_to_bank(DramClock now)
{
    if (movable_ == nothing) {
        return;
    }
    std::vector<Waiting>& from = source();
    const auto moved = from.begin() + static_cast<std::ptrdiff_t>(movable_);
    const int bank = moved->bank;
    banks_[static_cast<std::size_t>(bank)].queue.push_back(*moved);
    --room_[static_cast<std::size_t>(bank)];
    from.erase(moved);
    draining_ = std::max(0, draining_ - 1);
    choose_direction();
    reconsider(bank, now);
}

// --- Commands

void DramChannel::update_wanted(int index)
{
    const Bank& bank = banks_[static_cast<std::size_t>(index)];
    Wanted& wanted = wanted_[static_cast<std::size_t>(index)];
    if (bank.queue.empty()) {
        wanted = {};
        return;
    }
    const auto hit = std::find_if(bank.queue.begin(), bank.queue.end(), [&](const Waiting& entry) {
        return entry.request.row == bank.open_row;
    });
    if (bank.open_row == closed) {
        wanted = {bank.may_activate, bank.queue.front().order, 0, to_activate};
    } else if (hit == bank.queue.end()) {
        wanted = {bank.may_precharge, bank.queue.front().order, 0, to_precharge};
    } else {
        wanted = {bank.may_access, hit->order, static_cast<int>(hit - bank.queue.begin()),
                  hit->request.write ? to_write : to_read};
    }
}

/// A request came to a bank: what is planned may have to change.
void DramChannel::reconsider(int bank, DramClock now)
{
    const Wanted before = wanted_[static_cast<std::size_t>(bank)];
    update_wanted(bank);
    const Wanted& wanted = wanted_[static_cast<std::size_t>(bank)];
    if (before.order == wanted.order && before.command == wanted.command) {
        return;
    }
    if (choices_[kind_of(before.command)].bank == bank) {
        planned_ = false; // it does not want any more what was chosen
    }
    const DramClock at = std::max(
        {now, wanted.bank_ready, group_of(bank)[wanted.command], channel_[wanted.command]});
    Choice& best = choices_[kind_of(wanted.command)];
    if (at < best.clock || (at == best.clock && wanted.order < best.order)) {
        best = {at, wanted.order, bank};
    }
}

/// The next command of each kind. Times before `now` count as `now`, so that age decides.
void DramChannel::find_commands(DramClock now)
{
    // One number to compare by, without branches: clocks from now, then age.
    constexpr int age_bits = 40;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::array<std::int64_t, 3> best{none, none, none};
    std::array<int, 3> bank_of_best{-1, -1, -1};
    int bank = 0;
    for (const Earliest& group : groups_) {
        Earliest earliest = group;
        for (std::size_t command = 0; command < commands; ++command) {
            no_sooner(earliest[command], std::max(now, channel_[command]));
        }
        for (const int end = bank + spec_.banks_per_group; bank < end; ++bank) {
            const Wanted& wanted = wanted_[static_cast<std::size_t>(bank)];
            if (wanted.bank_ready != never) {
                const DramClock at = std::max(wanted.bank_ready, earliest[wanted.command]);
                const std::int64_t key = ((at - now) << age_bits) + wanted.order;
                const std::size_t kind = kind_of(wanted.command);
                bank_of_best[kind] = key < best[kind] ? bank : bank_of_best[kind];
                best[kind] = std::min(best[kind], key);
            }
        }
    }
    for (std::size_t kind = 0; kind < best.size(); ++kind) {
        const std::int64_t order = best[kind] & ((std::int64_t{1} << age_bits) - 1);
        choices_[kind] = best[kind] == none
                             ? Choice{}
                             : Choice{now + (best[kind] >> age_bits), order, bank_of_best[kind]};
    }
    planned_ = true;
}

void DramChannel::issue_column(int index, DramClock now, std::vector<DramDone>& done)
{
    Bank& bank = banks_[static_cast<std::size_t>(index)];
    Earliest& group = group_of(index);
    const auto issued = bank.queue.begin() + wanted_[static_cast<std::size_t>(index)].position;
    const Waiting waiting = *issued;
    bank.queue.erase(issued);
    ++room_[static_cast<std::size_t>(index)];
    --waiting_;
    row_hits_ += waiting.activated_for ? 0 : 1;
    const DramClock next = now + std::max(time_.burst, time_.ccd_short);
    const DramClock next_in_group = now + std::max(time_.burst, time_.ccd_long);
    for (const Command command : {to_read, to_write}) {
        no_sooner(channel_[command], next);
        no_sooner(group[command], next_in_group);
    }
    if (waiting.request.write) {
        const DramClock data_end = now + time_.cwl + time_.burst;
        no_sooner(channel_[to_read], data_end + time_.wtr_short);
        no_sooner(group[to_read], data_end + time_.wtr_long);
        no_sooner(bank.may_precharge, data_end + time_.wr);
        done.push_back({waiting.request.tag, data_end});
    } else {
        const DramClock data_end = now + time_.cl + time_.burst;
        no_sooner(channel_[to_write], data_end + bus_turnaround - time_.cwl);
        no_sooner(bank.may_precharge, now + time_.rtp);
        done.push_back({waiting.request.tag, data_end});
    }
    update_wanted(index);
}

void DramChannel::issue_activate(int index, DramClock now)
{
    Bank& bank = banks_[static_cast<std::size_t>(index)];
    Waiting& oldest = bank.queue.front();
    oldest.activated_for = true;
    ++activates_;
    bank.open_row = oldest.request.row;
    bank.may_access = now + time_.rcd;
    bank.may_precharge = now + time_.ras;
    last_activates_[oldest_activate_] = now;
    oldest_activate_ = (oldest_activate_ + 1) % last_activates_.size();
    group_of(index)[to_activate] = now + time_.rrd_long;
    channel_[to_activate] =
        std::max(now + time_.rrd_short, last_activates_[oldest_activate_] + time_.faw);
    update_wanted(index);
}

void DramChannel::issue_precharge(int index, DramClock now)
{
    Bank& bank = banks_[static_cast<std::size_t>(index)];
    bank.open_row = closed;
    no_sooner(bank.may_activate, now + time_.rp);
    update_wanted(index);
}

/// Closes one bank a clock, then refreshes them all. Returns whether the channel is still at it.
bool DramChannel::refresh(DramClock now)
{
    if (now < refresh_due_) {
        return false;
    }
    planned_ = false;
    DramClock next = now;
    bool open = false;
    for (int index = 0; index < spec_.banks(); ++index) {
        const Bank& bank = banks_[static_cast<std::size_t>(index)];
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
    for (int index = 0; index < spec_.banks(); ++index) {
        banks_[static_cast<std::size_t>(index)].may_activate = now + time_.refresh;
        update_wanted(index);
    }
    refresh_due_ += time_.refresh_interval;
    return false;
}

void DramChannel::act(DramClock now, std::vector<DramDone>& done)
{
    move_to_bank(now);
    if (refresh(now)) {
        find_movable();
        return;
    }
    if (!planned_) {
        find_commands(now);
    }
    const auto [activate, precharge, column] = choices_;
    if (column.clock == now) {
        issue_column(column.bank, now, done);
    }
    // The row bus carries one command a clock: the older request's.
    const bool activates = activate.clock == now;
    const bool precharges = precharge.clock == now;
    if (activates && (!precharges || activate.order < precharge.order)) {
        issue_activate(activate.bank, now);
    } else if (precharges) {
        issue_precharge(precharge.bank, now);
    }
    planned_ = planned_ && column.clock > now && !activates && !precharges;
    plan(now);
}

void DramChannel::plan(DramClock now)
{
    find_movable();
    if (waiting_ == 0) {
        next_action_ = never;
    } else if (movable_ != nothing) { // it may change what the next command is
        next_action_ = now + 1;
    } else {
        if (!planned_) {
            find_commands(now + 1);
        }
        next_action_ = std::max(refresh_due_, now + 1);
        for (const Choice& choice : choices_) {
            next_action_ = std::min(next_action_, choice.clock);
        }
    }
}

} // namespace alxsim::model
