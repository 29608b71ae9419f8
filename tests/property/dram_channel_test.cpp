// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/dram_channel.h"

#include "tests/property/ticking_dram_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

/// The channel that jumps from command to command, held to one that ticks.
namespace alxsim::model {
namespace {

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    std::int64_t from(std::int64_t low, std::int64_t high)
    {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }
    bool one_in(int count) { return from(1, count) == 1; }

private:
    std::mt19937_64 engine_;
};

topologies::HbmSpec random_memory(Random& random)
{
    topologies::HbmSpec spec;
    spec.bank_groups = static_cast<int>(random.from(1, 4));
    spec.banks_per_group = static_cast<int>(random.one_in(4) ? 16 : random.from(1, 4));
    spec.bank_queue = static_cast<int>(random.from(1, 8));
    spec.transaction_queue = static_cast<int>(random.from(1, 32));
    topologies::DramTiming& time = spec.timing;
    for (std::int64_t* clocks :
         {&time.cl, &time.cwl, &time.rcd, &time.rp, &time.ras, &time.rrd_short, &time.rrd_long,
          &time.faw, &time.ccd_short, &time.ccd_long, &time.wtr_short, &time.wtr_long, &time.rtp,
          &time.wr}) {
        *clocks = random.one_in(3) ? random.from(1, 2 * *clocks) : *clocks;
    }
    time.cwl = std::min(time.cwl, time.cl);
    time.burst = random.from(1, 4);
    time.refresh = random.from(20, 260);
    time.refresh_interval = 2 * (time.refresh + time.ras + time.rp) + random.from(0, 1000);
    return spec;
}

/// Requests as somebody may send them: few or many rows, crowds and pauses, in part writes.
struct RequestTraffic {
    explicit RequestTraffic(Random& random)
        : rows(random.one_in(2) ? 3 : 1000),
          writes_of_ten(random.one_in(2) ? 0 : random.from(1, 10)),
          at_once(random.from(1, 6)),
          pause(random.one_in(3) ? 0 : random.from(1, 40)),
          long_pause(random.one_in(3) ? 5000 : 50)
    {
    }
    std::int64_t rows, writes_of_ten, at_once, pause, long_pause;
};

DramRequest random_request(const topologies::HbmSpec& spec, const RequestTraffic& traffic,
                           Random& random)
{
    DramRequest request;
    request.bank_group = static_cast<int>(random.from(0, spec.bank_groups - 1));
    request.bank = static_cast<int>(random.from(0, spec.banks_per_group - 1));
    request.row = random.from(0, traffic.rows - 1);
    request.write = random.from(1, 10) <= traffic.writes_of_ten;
    return request;
}

/// Both channels, given the same.
class Both {
public:
    explicit Both(const topologies::HbmSpec& spec) : jumps_(spec), ticks_(spec) {}

    bool has_room(bool write) const
    {
        EXPECT_EQ(jumps_.has_room(write), ticks_.has_room(write));
        return jumps_.has_room(write);
    }
    void accept(const DramRequest& request, DramClock now)
    {
        jumps_.accept(request, now);
        ticks_.accept(request, now);
    }
    /// Returns the bursts that are done: the same in both.
    std::size_t go(DramClock now)
    {
        std::vector<DramDone> jumped;
        std::vector<DramDone> ticked;
        if (jumps_.next_action() == now) {
            jumps_.act(now, jumped);
        }
        ticks_.tick(now, ticked);
        ticks_.forget(now - 200);
        EXPECT_EQ(jumped.size(), ticked.size()) << "clock " << now;
        for (std::size_t i = 0; i < std::min(jumped.size(), ticked.size()); ++i) {
            EXPECT_EQ(jumped[i].tag, ticked[i].tag) << "clock " << now;
            EXPECT_EQ(jumped[i].clock, ticked[i].clock) << "clock " << now;
        }
        return ticked.size();
    }
    void expect_equal_counts() const
    {
        EXPECT_EQ(jumps_.activates(), ticks_.activates());
        EXPECT_EQ(jumps_.row_hits(), ticks_.row_hits());
        EXPECT_EQ(jumps_.next_action(), never);
    }

private:
    DramChannel jumps_;
    TickingDramChannel ticks_;
};

TEST(DramChannel, DoesInEachClockWhatOneThatTicksAndLooksAtEverythingDoes)
{
    constexpr std::int64_t requests = 400;
    for (unsigned seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const topologies::HbmSpec spec = random_memory(random);
        const RequestTraffic traffic(random);
        Both both(spec);
        std::int64_t sent = 0;
        std::int64_t done = 0;
        DramClock next_crowd = 0;
        for (DramClock now = 0; done < requests && !HasFailure(); ++now) {
            if (now >= next_crowd) {
                for (std::int64_t i = 0; i < traffic.at_once && sent < requests; ++i) {
                    DramRequest request = random_request(spec, traffic, random);
                    if (both.has_room(request.write)) {
                        request.tag = sent++;
                        both.accept(request, now);
                    }
                }
                next_crowd = now + 1 + traffic.pause;
                next_crowd += random.one_in(50) ? traffic.long_pause : 0;
            }
            done += static_cast<std::int64_t>(both.go(now));
        }
        both.expect_equal_counts();
    }
}

} // namespace
} // namespace alxsim::model
