// SPDX-License-Identifier: Apache-2.0
#include "sim/dma_engine.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <utility>

namespace alxsim::sim {
namespace {

/// Bursts per channel that a transfer keeps offered: as the rates are measured with.
constexpr int window_per_channel = 64;
/// Transfers under way stand this far apart, so that they do not share rows.
constexpr int regions = 16;

} // namespace

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec,
                     double bytes_per_second)
    : sc_core::sc_module(name),
      channels("channels", static_cast<std::size_t>(spec.channels)),
      spec_(spec),
      time_(spec.clock_hz),
      burst_time_(bytes_per_second < spec.peak_bytes_per_second()
                      ? static_cast<double>(spec.burst.count()) * 1e12 / bytes_per_second
                      : 0),
      window_(window_per_channel * spec.channels),
      at_(channels.size())
{
    for (std::size_t i = 0; i < channels.size(); ++i) {
        channels[i].register_nb_transport_bw(this, &DmaEngine::nb_transport_bw,
                                             static_cast<int>(i));
    }
    SC_HAS_PROCESS(DmaEngine);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
    process_.is_last_created();
}

// --- Transfers

std::size_t DmaEngine::free_place()
{
    const auto free = std::find_if(transfers_.begin(), transfers_.end(),
                                   [](const Transfer& transfer) { return !transfer.bursts; });
    if (free == transfers_.end()) {
        transfers_.emplace_back().offered.resize(channels.size());
        return transfers_.size() - 1;
    }
    return static_cast<std::size_t>(free - transfers_.begin());
}

void DmaEngine::transfer(const model::HbmAccess& access, std::function<void()> done)
{
    const std::size_t place = free_place();
    Transfer& transfer = transfers_[place];
    const std::int64_t row_of_all = spec_.page.count() * spec_.banks() * spec_.channels;
    const auto region = static_cast<std::int64_t>(place) % regions;
    const std::int64_t base = region * (spec_.rows / regions) * row_of_all;
    const Picoseconds start = time_.rising(time_.from(now()));
    transfer.bursts = std::make_unique<model::BurstStream>(access, spec_, base);
    transfer.done = std::move(done);
    transfer.exhausted = false;
    transfer.next_at = static_cast<double>(start.count());
    transfer.last_byte = start;
    ++transfers_under_way_;
    ++transfers_begun_;
    notify_at(wake_, start);
}

void DmaEngine::run()
{
    finish_transfers();
    for (Transfer& transfer : transfers_) {
        fill(transfer);
    }
    feed();
}

void DmaEngine::finish_transfers()
{
    for (std::size_t place = 0; place < transfers_.size(); ++place) {
        Transfer& transfer = transfers_[place];
        if (transfer.bursts && transfer.over() && transfer.last_byte <= now()) {
            transfer.bursts.reset();
            --transfers_under_way_;
            const std::function<void()> done = std::exchange(transfer.done, nullptr);
            done(); // may start the next one
        }
    }
}

// --- Bursts

/// Hands out bursts until the window is full or the engines must wait.
void DmaEngine::fill(Transfer& transfer)
{
    if (!transfer.bursts) {
        return;
    }
    const auto time = static_cast<double>(now().count());
    model::HbmBurst burst;
    while (!transfer.exhausted && transfer.window < window_ && transfer.next_at <= time) {
        transfer.exhausted = !transfer.bursts->next(burst);
        if (!transfer.exhausted) {
            const auto channel = static_cast<std::size_t>(burst.channel);
            transfer.offered[channel].push_back({burst.address, burst.request.write});
            to_offer_.push_back(channel);
            ++transfer.window;
            ++transfer.under_way;
            transfer.next_at += burst_time_;
        }
    }
    if (transfer.over()) {
        notify_at(wake_, transfer.last_byte);
    } else if (!transfer.exhausted && transfer.next_at > time) {
        const Picoseconds next(rounded_up(transfer.next_at));
        notify_at(wake_, time_.rising(time_.from(next)));
    }
}

/// Until no channel takes more. What a channel takes makes room for the next burst, of whatever
/// channel.
void DmaEngine::feed()
{
    if (feeding_) {
        return;
    }
    feeding_ = true;
    while (!to_offer_.empty()) {
        const std::size_t channel = to_offer_.back();
        to_offer_.pop_back();
        offer(channel);
    }
    feeding_ = false;
}

void DmaEngine::offer(std::size_t channel)
{
    Channel& at = at_[channel];
    std::size_t asked = 0;
    while (!at.requesting && asked < transfers_.size()) {
        const std::size_t turn = at.turn % transfers_.size();
        at.turn = turn + 1;
        ++asked;
        if (transfers_[turn].offered[channel].empty()) {
            continue;
        }
        asked = 0;
        Burst& burst = begin(channel, turn);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        at.requesting = true;
        if (channels[static_cast<unsigned>(channel)]->nb_transport_fw(burst, phase, delay) ==
            tlm::TLM_UPDATED) {
            at.requesting = false;
            --transfers_[turn].window;
            fill(transfers_[turn]);
        }
    }
}

DmaEngine::Burst& DmaEngine::begin(std::size_t channel, std::size_t transfer)
{
    if (spare_bursts_.empty()) {
        bursts_.push_back(std::make_unique<Burst>(this));
        spare_bursts_.push_back(bursts_.back().get());
    }
    Burst& burst = *spare_bursts_.back();
    spare_bursts_.pop_back();
    ++bursts_begun_;
    std::deque<Offered>& offered = transfers_[transfer].offered[channel];
    burst.acquire();
    burst.transfer = transfer;
    burst.set_address(static_cast<sc_dt::uint64>(offered.front().address));
    burst.set_command(offered.front().write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    burst.set_data_length(static_cast<unsigned>(spec_.burst.count()));
    burst.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    offered.pop_front();
    return burst;
}

void DmaEngine::free(tlm::tlm_generic_payload* burst)
{
    spare_bursts_.push_back(static_cast<Burst*>(burst));
}

tlm::tlm_sync_enum DmaEngine::nb_transport_bw(int channel, tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay)
{
    auto& burst = static_cast<Burst&>(payload); // all payloads come from here
    if (phase == tlm::BEGIN_RESP) {
        responded(burst, now() + Picoseconds(static_cast<std::int64_t>(delay.value())));
        phase = tlm::END_RESP;
        return tlm::TLM_COMPLETED;
    }
    at_[static_cast<std::size_t>(channel)].requesting = false;
    Transfer& transfer = transfers_[burst.transfer];
    --transfer.window;
    fill(transfer);
    to_offer_.push_back(static_cast<std::size_t>(channel));
    feed();
    return tlm::TLM_ACCEPTED;
}

void DmaEngine::responded(Burst& burst, Picoseconds at)
{
    Transfer& transfer = transfers_[burst.transfer];
    transfer.last_byte = std::max(transfer.last_byte, at);
    --transfer.under_way;
    burst.release();
    if (transfer.over()) {
        notify_at(wake_, transfer.last_byte);
    }
}

void DmaEngine::declare_statistics(Statistics& statistics) const
{
    statistics.declare("dma_transfers", "Transfers that DMA engines have split into bursts.",
                       transfers_begun_);
    statistics.declare("dma_bursts", "Bursts that DMA engines have offered to HBM channels.",
                       bursts_begun_);
}

} // namespace alxsim::sim
