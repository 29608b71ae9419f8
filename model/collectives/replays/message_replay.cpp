// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/message_replay.h"

#include "model/collectives/replays/packet_carrier.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace alxsim::model {
namespace {

Bytes longest_message(const std::vector<PairMessage>& messages)
{
    Bytes longest(0);
    for (const PairMessage& message : messages) {
        longest = std::max(longest, message.bytes);
    }
    return longest;
}

class MessageReplay {
public:
    explicit MessageReplay(const CollectiveSchedule& schedule)
        : messages_(schedule.messages),
          carrier_(*schedule.messages_over, longest_message(messages_),
                   [this](std::uint64_t event, Picoseconds now) {
                       send_followers(static_cast<std::size_t>(event), now);
                   }),
          followers_(schedule.messages_after.size())
    {
        for (std::size_t i = 0; i < schedule.messages_after.size(); ++i) {
            missing_.push_back(schedule.messages_after[i].size());
            for (const int before : schedule.messages_after[i]) {
                followers_[static_cast<std::size_t>(before)].push_back(i);
            }
        }
    }

    Picoseconds finish()
    {
        std::vector<std::size_t> by_source(messages_.size());
        std::iota(by_source.begin(), by_source.end(), 0);
        std::stable_sort(by_source.begin(), by_source.end(), [this](std::size_t a, std::size_t b) {
            return messages_[a].source < messages_[b].source;
        });
        for (const std::size_t message : by_source) {
            if (missing_.empty() || missing_[message] == 0) {
                send(message, Picoseconds(0));
            }
        }
        carrier_.run();
        return carrier_.last();
    }

private:
    void send(std::size_t which, Picoseconds now)
    {
        const PairMessage& message = messages_[which];
        carrier_.send(message.source, message.destination, message.bytes, 0, which, now);
    }

    void send_followers(std::size_t which, Picoseconds now)
    {
        if (missing_.empty()) {
            return;
        }
        for (const std::size_t follower : followers_[which]) {
            if (--missing_[follower] == 0) {
                send(follower, now);
            }
        }
    }

    const std::vector<PairMessage>& messages_;
    PacketCarrier carrier_;
    std::vector<std::size_t> missing_; ///< [message]: of those that it waits for; empty: of none
    std::vector<std::vector<std::size_t>> followers_; ///< [message]: that wait for it
};

} // namespace

Picoseconds message_schedule_time(const CollectiveSchedule& schedule)
{
    return MessageReplay(schedule).finish();
}

} // namespace alxsim::model
