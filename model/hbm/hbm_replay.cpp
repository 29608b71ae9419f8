// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/hbm_replay.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace alxsim::model {
namespace {

/// Channels, what is offered to them, and the clock. `Next` as BurstStream::next.
template <class Next>
class Replay {
public:
    Replay(const topologies::HbmSpec& spec, const Next& next, const HbmOffer& offer)
        : next_(next),
          offer_(offer),
          offered_(static_cast<std::size_t>(spec.channels)),
          channels_(static_cast<std::size_t>(spec.channels), DramChannel(spec))
    {
        result_.bursts_of_channel.resize(channels_.size());
    }

    HbmReplayResult run()
    {
        DramClock now = 0;
        while (now < offer_.until) {
            const bool budget_spent = !hand_over(now);
            for (DramChannel& channel : channels_) {
                if (channel.next_action() == now) {
                    channel.act(now, done_);
                }
            }
            now = next_time(now, budget_spent);
        }
        result_.done.reserve(done_.size());
        for (const DramDone& done : done_) {
            result_.clocks = std::max(result_.clocks, done.clock);
            result_.done.push_back(done.clock);
        }
        for (const DramChannel& channel : channels_) {
            result_.activates += channel.activates();
            result_.row_hits += channel.row_hits();
        }
        return std::move(result_);
    }

private:
    void fill_window()
    {
        HbmBurst burst;
        while (in_window_ < offer_.window && !exhausted_) {
            exhausted_ = !next_(burst);
            if (!exhausted_) {
                burst.request.tag = result_.bursts++;
                const auto channel = static_cast<std::size_t>(burst.channel);
                ++result_.bursts_of_channel[channel];
                offered_[channel].push_back(burst.request);
                ++in_window_;
            }
        }
    }

    /// Gives channels with room what waits for them; false if the clock's budget ended it.
    bool hand_over(DramClock now)
    {
        int budget = offer_.per_clock;
        bool moved = true;
        while (moved) {
            fill_window();
            moved = false;
            for (std::size_t i = 0; i < channels_.size(); ++i) {
                while (!offered_[i].empty() && channels_[i].has_room(offered_[i].front().write)) {
                    if (budget-- == 0) {
                        return false;
                    }
                    channels_[i].accept(offered_[i].front(), now);
                    offered_[i].pop_front();
                    --in_window_;
                    moved = true;
                }
            }
        }
        return true;
    }

    DramClock next_time(DramClock now, bool budget_spent) const
    {
        DramClock next = budget_spent ? now + 1 : never;
        for (std::size_t i = 0; i < channels_.size() && next > now + 1; ++i) {
            // Room that an action made is used in the next clock.
            const bool takes =
                !offered_[i].empty() && channels_[i].has_room(offered_[i].front().write);
            next = std::min(next, takes ? now + 1 : channels_[i].next_action());
        }
        return next;
    }

    const Next& next_;
    HbmOffer offer_;
    std::vector<std::deque<DramRequest>> offered_;
    std::vector<DramChannel> channels_;
    int in_window_ = 0;
    bool exhausted_ = false;
    std::vector<DramDone> done_;
    HbmReplayResult result_;
};

} // namespace

double HbmReplayResult::share_of_peak(const topologies::HbmSpec& spec) const
{
    return static_cast<double>(bursts * spec.timing.burst) /
           (static_cast<double>(clocks) * spec.channels);
}

HbmReplayResult replay(const topologies::HbmSpec& spec, const std::function<bool(HbmBurst&)>& next,
                       const HbmOffer& offer)
{
    return Replay(spec, next, offer).run();
}

HbmReplayResult replay(const topologies::HbmSpec& spec, const HbmAccess& access,
                       const HbmOffer& offer)
{
    BurstStream stream(access, spec);
    const auto next = [&](HbmBurst& burst) { return stream.next(burst); };
    return Replay(spec, next, offer).run();
}

} // namespace alxsim::model
