// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/banked_hbm.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

/// Bursts per channel that a transfer keeps offered: as the rates are measured with.
constexpr int window_per_channel = 64;
/// Transfers under way stand this far apart, so that they do not share rows.
constexpr int regions = 16;

} // namespace

BankedHbm::BankedHbm(const topologies::HbmSpec& spec, double dma_bytes_per_second)
    : spec_(spec),
      time_(spec.clock_hz),
      burst_time_(dma_bytes_per_second < spec.peak_bytes_per_second()
                      ? static_cast<double>(spec.burst.count()) * 1e12 / dma_bytes_per_second
                      : 0),
      window_(window_per_channel * spec.channels),
      channels_(static_cast<std::size_t>(spec.channels), DramChannel(spec)),
      ports_(channels_.size()),
      next_(channels_.size(), never),
      due_(channels_.size())
{
}

std::int64_t BankedHbm::activates() const
{
    std::int64_t sum = 0;
    for (const DramChannel& channel : channels_) {
        sum += channel.activates();
    }
    return sum;
}

// --- Transfers

BankedHbm::Place BankedHbm::begin(const HbmAccess& access, DramClock start)
{
    const auto free = std::find_if(transfers_.begin(), transfers_.end(),
                                   [](const Transfer& transfer) { return !transfer.stream; });
    const auto place = static_cast<Place>(free - transfers_.begin());
    if (free == transfers_.end()) {
        transfers_.emplace_back().offered.resize(channels_.size());
    }
    Transfer& transfer = transfers_[place];
    const std::int64_t row_of_all = spec_.page.count() * spec_.banks() * spec_.channels;
    const auto region = static_cast<std::int64_t>(place) % regions;
    transfer.stream.emplace(access, spec_, region * (spec_.rows / regions) * row_of_all);
    transfer.to_read = transfer.stream->bursts();
    transfer.next_at = static_cast<double>(time_.rising(start).count());
    transfer.fill_at = start;
    transfer.last_byte = start;
    ++under_way_;
    ++transfers_begun_;
    return place;
}

std::optional<BankedHbm::Place> BankedHbm::end_one(DramClock now)
{
    for (Place place = 0; place < transfers_.size(); ++place) {
        Transfer& transfer = transfers_[place];
        if (transfer.stream && transfer.without_data() == 0 && transfer.last_byte <= now) {
            transfer.stream.reset();
            --under_way_;
            return place;
        }
    }
    return std::nullopt;
}

DramClock BankedHbm::may_end() const
{
    DramClock first = never;
    for (const Transfer& transfer : transfers_) {
        if (transfer.stream) {
            first = std::min(first, may_end(transfer));
        }
    }
    return first;
}

/// If every channel moved data from now on, and the engines kept up.
DramClock BankedHbm::may_end(const Transfer& transfer) const
{
    const std::int64_t left = transfer.without_data();
    if (left == 0) {
        return transfer.last_byte;
    }
    const topologies::DramTiming& time = spec_.timing;
    const DramClock latency = std::min(time.cl, time.cwl) + time.burst;
    DramClock last_column = clock_ + (ceil_divide(left, spec_.channels) - 1) * time.burst;
    if (transfer.to_read > 0) {
        const double handed_out =
            transfer.next_at + burst_time_ * static_cast<double>(transfer.to_read - 1);
        // A clock less, as sums of doubles are not exact.
        const DramClock last = time_.from(Picoseconds(static_cast<std::int64_t>(handed_out))) - 1;
        last_column = std::max(last_column, last);
    }
    return std::max(last_column + latency, clock_ + 1);
}

// --- Clock by clock

void BankedHbm::catch_up(DramClock until)
{
    for (DramClock clock = next_clock(); clock < until; clock = next_clock()) {
        clock_ = clock;
        edge_ = static_cast<double>(time_.rising(clock).count());
        take_bursts();
        issue_commands();
    }
    clock_ = std::max(clock_, until);
}

DramClock BankedHbm::next_clock() const
{
    DramClock next = never;
    for (const DramClock of_channel : next_) {
        next = std::min(next, of_channel);
    }
    for (const Transfer& transfer : transfers_) {
        next = std::min(next, transfer.fill_at);
    }
    return next;
}

void BankedHbm::take_bursts()
{
    for (Place place = 0; place < transfers_.size(); ++place) {
        if (transfers_[place].fill_at == clock_) {
            fill(place);
        }
    }
    offer_all();
    find_due();
    for (std::size_t i = 0; i < due_channels_; ++i) {
        if (can_take(due_[i])) {
            take(due_[i]);
            to_offer_.push_back(due_[i]);
            offer_all();
        }
    }
}

/// Without branches: which of them are due cannot be predicted.
void BankedHbm::find_due()
{
    due_channels_ = 0;
    for (std::size_t channel = 0; channel < next_.size(); ++channel) {
        due_[due_channels_] = channel;
        due_channels_ += next_[channel] == clock_ ? 1 : 0;
    }
}

void BankedHbm::issue_commands()
{
    done_.clear();
    find_due();
    for (std::size_t i = 0; i < due_channels_; ++i) {
        run(due_[i]);
    }
    for (const DramDone& done : done_) {
        Transfer& transfer = transfers_[static_cast<Place>(done.tag)];
        --transfer.under_way;
        transfer.last_byte = std::max(transfer.last_byte, done.clock);
    }
}

/// While a burst waits for room nothing comes to the channel, so that it may go ahead of the others
/// until it has made some.
void BankedHbm::run(std::size_t index)
{
    DramChannel& channel = channels_[index];
    const Bursts::Place waiting = ports_[index].waiting;
    if (waiting == Bursts::none) {
        if (channel.next_action() == clock_) {
            channel.act(clock_, done_);
        }
        next_[index] = channel.next_action();
        return;
    }
    DramClock clock = clock_;
    for (const bool write = bursts_[waiting].write; !channel.has_room(write);) {
        clock = channel.next_action();
        channel.act(clock, done_);
    }
    next_[index] = clock + 1; // room that a command made is used in the next clock
}

// --- Bursts

/// Hands out bursts until the window is full or the engines must wait.
void BankedHbm::fill(Place place)
{
    Transfer& transfer = transfers_[place];
    HbmBurst burst;
    while (transfer.to_read > 0 && transfer.window < window_ && transfer.next_at <= edge_) {
        transfer.stream->next(burst);
        burst.request.tag = static_cast<std::int64_t>(place);
        const auto channel = static_cast<std::size_t>(burst.channel);
        bursts_.push(transfer.offered[channel], bursts_.add(burst.request));
        if (ports_[channel].waiting == Bursts::none) {
            to_offer_.push_back(channel);
        }
        --transfer.to_read;
        ++transfer.under_way;
        ++transfer.window;
        transfer.next_at += burst_time_;
    }
    const bool engines_wait = transfer.to_read > 0 && transfer.next_at > edge_;
    transfer.fill_at = engines_wait ? time_.from(Picoseconds(rounded_up(transfer.next_at))) : never;
}

/// Until no channel takes more. What a channel takes makes room for the next burst, of whatever
/// channel.
void BankedHbm::offer_all()
{
    while (!to_offer_.empty()) {
        const std::size_t channel = to_offer_.back();
        to_offer_.pop_back();
        while (ports_[channel].waiting == Bursts::none && choose(channel) && can_take(channel)) {
            take(channel);
        }
    }
}

/// Chooses what the channel is to take next. Returns whether there was anything.
bool BankedHbm::choose(std::size_t channel)
{
    Port& port = ports_[channel];
    for (Place asked = 0; asked < transfers_.size(); ++asked) {
        const Place turn = port.turn < transfers_.size() ? port.turn : 0;
        port.turn = turn + 1;
        Bursts::List& offered = transfers_[turn].offered[channel];
        if (!offered.empty()) {
            port.waiting = bursts_.pop(offered);
            ++bursts_begun_;
            return true;
        }
    }
    return false;
}

bool BankedHbm::can_take(std::size_t channel) const
{
    const Bursts::Place waiting = ports_[channel].waiting;
    return waiting != Bursts::none && channels_[channel].has_room(bursts_[waiting].write);
}

/// What waits, for which there is room.
void BankedHbm::take(std::size_t channel)
{
    const Bursts::Place taken = std::exchange(ports_[channel].waiting, Bursts::none);
    const auto place = static_cast<Place>(bursts_[taken].tag);
    channels_[channel].accept(bursts_[taken], clock_);
    bursts_.remove(taken);
    next_[channel] = clock_;
    --transfers_[place].window;
    fill(place);
}

} // namespace alxsim::model
