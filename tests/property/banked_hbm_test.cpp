// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/banked_hbm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

/// Whoever owns the banks may look at them late, and finds what it would have found in time.
namespace alxsim::model {
namespace {

struct Begin {
    HbmAccess access;
    DramClock at;
};

struct Traffic {
    topologies::HbmSpec spec;
    double dma_bytes_per_second;
    std::vector<Begin> begins; ///< by clock
};

Traffic random_traffic(unsigned seed)
{
    std::mt19937_64 engine(seed);
    const auto from = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
    };
    Traffic traffic;
    traffic.spec.channels = 1 << from(0, 4);
    traffic.spec.mapping.interleave = Bytes(64 << from(0, 4));
    traffic.spec.bank_queue = static_cast<int>(from(1, 8));
    traffic.dma_bytes_per_second = from(0, 1) == 0
                                       ? std::numeric_limits<double>::infinity()
                                       : traffic.spec.peak_bytes_per_second() / from(2, 9);
    DramClock at = 0;
    for (std::int64_t left = from(1, 6); left > 0; --left) {
        HbmAccess access;
        access.read = Bytes(from(0, 1) * from(0, 60'000));
        access.written = Bytes(from(0, 1) * from(0, 60'000));
        access.rows.rows = from(0, 1) * from(0, 500);
        access.rows.stride = Bytes(64 << from(0, 4));
        access.rows.read_first = from(0, 1) == 1;
        traffic.begins.push_back({access, at});
        at += from(0, 2) * from(0, 5'000);
    }
    return traffic;
}

/// When each transfer was over, looked at in every clock of which `looks` says so.
template <class Looks>
std::vector<DramClock> ends(const Traffic& traffic, const Looks& looks)
{
    BankedHbm banks(traffic.spec, traffic.dma_bytes_per_second);
    std::vector<DramClock> over(traffic.begins.size(), never);
    std::vector<std::size_t> transfer_of_place;
    std::size_t begun = 0;
    for (DramClock now = 0; begun < over.size() || !banks.idle(); ++now) {
        const bool begins = begun < over.size() && traffic.begins[begun].at == now;
        if (!begins && !looks(banks, now)) {
            continue;
        }
        banks.catch_up(now);
        for (; begun < over.size() && traffic.begins[begun].at == now; ++begun) {
            const BankedHbm::Place place = banks.begin(traffic.begins[begun].access, now);
            transfer_of_place.resize(std::max(transfer_of_place.size(), place + 1));
            transfer_of_place[place] = begun;
        }
        while (const auto place = banks.end_one(now)) {
            over[transfer_of_place[*place]] = now;
        }
    }
    return over;
}

TEST(BankedHbm, EndsTransfersInTheSameClocksHoweverSeldomItIsLookedAt)
{
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const Traffic traffic = random_traffic(seed);
        const std::vector<DramClock> always =
            ends(traffic, [](const BankedHbm&, DramClock) { return true; });
        const std::vector<DramClock> when_one_may_end = ends(
            traffic, [](const BankedHbm& banks, DramClock now) { return banks.may_end() == now; });
        EXPECT_EQ(always, when_one_may_end) << seed;
    }
}

TEST(BankedHbm, IsLookedAtLessThanAHundredTimesForAHundredThousandBursts)
{
    BankedHbm banks({}, std::numeric_limits<double>::infinity());
    HbmAccess access;
    access.rows.stride = Bytes(64);
    access.rows.rows = 100'000;
    banks.begin(access, 0);
    int looks = 0;
    while (!banks.idle()) {
        const DramClock now = banks.may_end();
        banks.catch_up(now);
        banks.end_one(now);
        ++looks;
    }
    EXPECT_LT(looks, 100);
    EXPECT_EQ(banks.bursts_begun(), 100'000);
}

} // namespace
} // namespace alxsim::model
