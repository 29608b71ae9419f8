// SPDX-License-Identifier: Apache-2.0
#include "golden_files.h"

#include "model/hbm/hbm_rates.h"
#include "model/hbm/hbm_replay.h"

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <string>

/// The banks of an HBM channel against DRAMsim3, and what a poor address mapping costs.
namespace alxsim::model {
namespace {

using topologies::HbmSpec;

const char* const dramsim3 = "../../oracle/dramsim3_hbm2.json";
/// The peer ran 400,000; a quarter is 25 refresh intervals and more, and changes shares by less
/// than half a point.
constexpr std::int64_t requests = 100'000;
constexpr std::int64_t burst_bytes = 64;

/// The peer's memory: the defaults of HbmSpec, a bank row after the other in each channel.
HbmSpec peers_memory()
{
    HbmSpec spec;
    spec.mapping.fields = topologies::hbm_fields("row bank bank_group channel column");
    spec.mapping.interleave = Bytes(1024);
    return spec;
}

/// Reads of 64 bytes: one after the other, or aligned chunks anywhere in 4 GiB.
class Reads {
public:
    Reads(const HbmSpec& spec, bool sequential, std::int64_t chunk_bytes)
        : spec_(spec),
          sequential_(sequential),
          chunk_(chunk_bytes / burst_bytes)
    {
    }

    bool operator()(HbmBurst& burst)
    {
        if (done_ == requests) {
            return false;
        }
        const std::int64_t in_chunk = done_ % chunk_;
        if (in_chunk == 0) {
            const std::int64_t chunks = (std::int64_t{4} << 30) / (chunk_ * burst_bytes);
            const std::int64_t random =
                std::uniform_int_distribution<std::int64_t>(0, chunks - 1)(random_);
            start_ = (sequential_ ? done_ / chunk_ : random) * chunk_ * burst_bytes;
        }
        burst = locate(start_ + in_chunk * burst_bytes, false, spec_);
        ++done_;
        return true;
    }

private:
    const HbmSpec& spec_;
    bool sequential_;
    std::int64_t chunk_;
    std::int64_t done_ = 0;
    std::int64_t start_ = 0;
    std::mt19937_64 random_{1};
};

double share_of_peak(const HbmSpec& spec, bool sequential, std::int64_t chunk_bytes,
                     const HbmOffer& offer = {})
{
    return replay(spec, Reads(spec, sequential, chunk_bytes), offer).share_of_peak(spec);
}

std::string name_of(const Json& peer)
{
    return peer.at("mode").get<std::string>() + " " + peer.at("chunk_bytes").dump() +
           " B, window " + peer.at("window").dump();
}

TEST(HbmOracle, DramSim3FillsTheSameShareOfTheDataBuses)
{
    const HbmSpec spec = peers_memory();
    const Json golden = golden_json(dramsim3);
    ASSERT_FALSE(golden.at("results").empty());
    for (const Json& peer : golden.at("results")) {
        HbmOffer offer;
        offer.window = peer.at("window");
        offer.per_clock = peer.at("max_issue_per_clk");
        const double ours =
            share_of_peak(spec, peer.at("mode") == "seq", peer.at("chunk_bytes"), offer);
        const double theirs = peer.at("fraction_of_peak");
        std::cout << name_of(peer) << ": " << ours << ", DRAMsim3 " << theirs << " ("
                  << 100 * (ours / theirs - 1) << " %)\n";
        EXPECT_NEAR(ours, theirs, 0.03) << name_of(peer);
        EXPECT_NEAR(ours / theirs, 1, 0.10) << name_of(peer);
    }
}

TEST(HbmOracle, NoAccessBeatsTheBounds)
{
    const HbmSpec spec = peers_memory();
    for (const std::int64_t chunk : {64, 128, 256, 512, 1024}) {
        const HbmBounds bounds = hbm_bounds(spec, Bytes(chunk));
        EXPECT_LE(share_of_peak(spec, false, chunk), bounds.tightest()) << chunk;
        EXPECT_LE(share_of_peak(spec, true, chunk), bounds.refresh) << chunk;
    }
}

TEST(HbmOracle, RowsThatAreCutIntoManyChannelsCostHalfTheBandwidth)
{
    // Each 256-byte row opens a DRAM row in four channels, for one burst each.
    HbmSpec good = peers_memory();
    good.mapping.fields = topologies::hbm_fields("row bank column bank_group channel");
    good.mapping.interleave = Bytes(256);
    HbmSpec poor = good;
    poor.mapping.interleave = Bytes(64);
    EXPECT_LE(share_of_peak(poor, false, 256), 0.5 * share_of_peak(good, false, 256));
}

TEST(HbmOracle, AStreamInOneChannelCostsMostOfTheBandwidth)
{
    HbmSpec poor = peers_memory();
    poor.mapping.fields = topologies::hbm_fields("channel row bank bank_group column");
    EXPECT_LE(share_of_peak(poor, true, 64), 0.5 * share_of_peak(peers_memory(), true, 64));
    EXPECT_NEAR(share_of_peak(poor, true, 64) * poor.channels,
                share_of_peak(peers_memory(), true, 64), 0.1);
}

} // namespace
} // namespace alxsim::model
