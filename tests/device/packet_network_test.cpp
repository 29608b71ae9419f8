// SPDX-License-Identifier: Apache-2.0
#include "sim/packet_network.h"

#include "base/json_document.h"
#include "model/packets/waiting_queues.h"
#include "tests/device/packet_traffic.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <stdexcept>

namespace alxsim::sim {
namespace {

using topologies::Slice;

const std::int64_t packet_bytes = 4096;

TEST(PacketNetwork, AMessageAloneTakesItsHopsAndItsBytes)
{
    for (const int hops : {1, 2, 7}) {
        for (const std::int64_t bytes : {1l, 700l, 4096l, 4097l, 65536l, 1'000'000l}) {
            EXPECT_EQ(alone(line(8), easy_links(), 0, hops, bytes),
                      nanoseconds_of(hops * 1000 + bytes))
                << hops << " hops, " << bytes << " bytes";
        }
    }
}

TEST(PacketNetwork, AtAnyRateEveryPacketRoundsUpToThePicosecond)
{
    const std::int64_t packets = 1000;
    const Picoseconds time = alone(ring(8), fast_links(), 0, 3, packets * packet_bytes);
    const double exact = 3e6 + static_cast<double>(packets * packet_bytes) / 45e9 * 1e12;
    EXPECT_GE(static_cast<double>(time.count()), exact - 1e-3);
    EXPECT_LE(static_cast<double>(time.count()), exact + static_cast<double>(packets));
}

TEST(PacketNetwork, AMessageToTheOwnChipOrOfNoBytesArrives)
{
    EXPECT_EQ(alone(line(2), easy_links(), 1, 1, 1 << 20), Picoseconds(0));
    EXPECT_EQ(alone(line(4), easy_links(), 0, 3, 0), nanoseconds_of(3000));
}

TEST(PacketNetwork, ATrainKeepsTheLinkFullWhenTheBufferCoversTheRoundTrip)
{
    PacketNetworkSpec spec = fast_links();
    const std::int64_t bytes = 1000 * packet_bytes;
    const Picoseconds full = alone(line(4), spec, 0, 3, bytes);
    spec.buffer_bytes = Bytes(1 << 30);
    EXPECT_EQ(alone(line(4), spec, 0, 3, bytes), full);
    // Twice the latency at 45 GB/s are 90,000 bytes, 22 packets; one is on its way. A last one is
    // for packets of other lengths, of which there are none here.
    EXPECT_EQ(full_rate_buffer(spec), Bytes(24 * packet_bytes));
    spec.buffer_bytes = Bytes(23 * packet_bytes);
    EXPECT_EQ(alone(line(4), spec, 0, 3, bytes), full);
    spec.buffer_bytes = Bytes(22 * packet_bytes);
    EXPECT_GT(alone(line(4), spec, 0, 3, bytes), full);
}

TEST(PacketNetwork, ASmallerBufferSlowsATrainByItsShareOfTheRoundTrip)
{
    PacketNetworkSpec spec = fast_links();
    const std::int64_t packets = 4000;
    const double packet_time = static_cast<double>(packet_bytes) / 45e9;
    const double round_trip = 2e-6 + packet_time; // out, through, and the room's way back
    for (const int room : {1, 2, 5, 10, 20}) {
        spec.buffer_bytes = Bytes(room * packet_bytes);
        const double time = to_seconds(alone(line(3), spec, 0, 2, packets * packet_bytes)).count();
        const double share = static_cast<double>(packets) * packet_time / time;
        EXPECT_NEAR(share, room * packet_time / round_trip, 0.005 * share) << room << " packets";
    }
}

TEST(PacketNetwork, MessagesOfOneChipTakeTurnsOnALink)
{
    PacketTraffic traffic(line(2), easy_links());
    traffic.send(0, 1, 10 * packet_bytes);
    traffic.send(0, 1, 5 * packet_bytes);
    traffic.run();
    // A packet each in turn: the shorter one is through with the tenth packet.
    EXPECT_EQ(traffic.arrivals()[1].at(0), nanoseconds_of(10 * packet_bytes + 1000));
    EXPECT_EQ(traffic.arrivals()[0].at(0), nanoseconds_of(15 * packet_bytes + 1000));
}

TEST(PacketNetwork, MessagesThatMeetOnALinkGetHalfEach)
{
    // Chip 1 sends on the link that chip 0's message also needs: both end at the same time, but for
    // a packet, after twice the time that one takes.
    PacketTraffic traffic(line(3), easy_links());
    traffic.send(0, 2, 100 * packet_bytes);
    traffic.send(1, 2, 100 * packet_bytes);
    traffic.run();
    const double last = traffic.arrivals()[0].at(0) / nanoseconds_of(200 * packet_bytes);
    const double other = traffic.arrivals()[1].at(0) / nanoseconds_of(200 * packet_bytes);
    EXPECT_NEAR(last, 1, 0.01);
    EXPECT_NEAR(other, 1, 0.01);
    EXPECT_EQ(traffic.network().link_use(1, 0, +1).busy, nanoseconds_of(200 * packet_bytes));
}

TEST(PacketNetwork, RoutesAlongOneAxisAfterTheOther)
{
    // From (0, 0) to (1, 3) of 4x4: a step along axis 0, then the short way round axis 1.
    PacketTraffic traffic(torus(4, 4), easy_links());
    traffic.send(0, 7, 100);
    traffic.run();
    PacketNetwork& network = traffic.network();
    EXPECT_EQ(network.link_use(0, 0, +1).bytes, Bytes(100)); // (0, 0) to (1, 0)
    EXPECT_EQ(network.link_use(4, 1, -1).bytes, Bytes(100)); // (1, 0) to (1, 3)
    EXPECT_EQ(network.use().packet_hops, 2);
    EXPECT_EQ(network.use().message_hops, 2);
    EXPECT_EQ(network.link_use(4, 1, -1).busy, nanoseconds_of(100));
    EXPECT_EQ(network.link_use(4, 1, -1).packets, 1);
}

TEST(PacketNetwork, SplitsTiesOnEvenRingsByTheSource)
{
    PacketTraffic traffic(ring(8), easy_links());
    traffic.send(0, 4, 100);
    traffic.send(1, 5, 100);
    traffic.run();
    EXPECT_EQ(traffic.network().link_use(0, 0, +1).bytes, Bytes(100));
    EXPECT_EQ(traffic.network().link_use(1, 0, -1).bytes, Bytes(100));
    EXPECT_EQ(traffic.network().use().packet_hops, 8);
}

TEST(PacketNetwork, ABlockedHeadHoldsUpWhatIsBehindIt)
{
    // With room for one packet, chip 0's message to 1 waits behind its own to the busy chip 2.
    const auto arrival = [](std::int64_t room) {
        PacketNetworkSpec spec = easy_links();
        spec.buffer_bytes = Bytes(room * packet_bytes);
        PacketTraffic traffic(line(3), spec);
        traffic.send(1, 2, 50 * packet_bytes);
        traffic.send(0, 2, 10 * packet_bytes);
        const std::size_t near = traffic.send(0, 1, 10 * packet_bytes);
        traffic.run();
        return traffic.arrivals()[near].at(0);
    };
    EXPECT_GT(arrival(1), arrival(100));
    EXPECT_EQ(arrival(100), arrival(1000));
}

TEST(PacketNetwork, ASlowLinkSetsThePace)
{
    PacketNetworkSpec spec = easy_links();
    spec.slow_links = {{1, 0, +1, 0.25}};
    EXPECT_EQ(alone(line(4), spec, 0, 3, packet_bytes), nanoseconds_of(3000 + 4 * packet_bytes));
    EXPECT_EQ(alone(line(4), spec, 3, 0, packet_bytes), nanoseconds_of(3000 + packet_bytes));
}

TEST(PacketNetwork, RefusesWhatCannotWork)
{
    PacketNetworkSpec small = easy_links();
    small.buffer_bytes = Bytes(packet_bytes - 1);
    EXPECT_THROW(PacketTraffic(line(2), small), std::invalid_argument);
    PacketNetworkSpec missing = easy_links();
    missing.slow_links = {{1, 0, +1, 0.5}};
    EXPECT_THROW(PacketTraffic(line(2), missing), std::invalid_argument);
    EXPECT_THROW(PacketTraffic(line(2), PacketNetworkSpec{}), std::invalid_argument);
}

TEST(PacketNetwork, RefusesMessagesFromOrToNowhere)
{
    PacketTraffic traffic(line(2), easy_links());
    EXPECT_THROW(traffic.send(0, 2, 1), std::invalid_argument);
    EXPECT_THROW(traffic.send(-1, 0, 1), std::invalid_argument);
    EXPECT_THROW(traffic.send(0, 1, -1), std::invalid_argument);
}

TEST(PacketNetwork, WhatIsDeliveredMaySendAgain)
{
    // Once round a ring, link by link: every hop begins when the last one has ended.
    PacketTraffic traffic(ring(5), easy_links());
    traffic.on_arrival([&](std::size_t number) {
        const int chip = static_cast<int>(number) + 1;
        if (chip < 5) {
            traffic.send(chip, (chip + 1) % 5, 9000);
        }
    });
    traffic.send(0, 1, 9000);
    EXPECT_EQ(traffic.run(), nanoseconds_of(5 * 10'000));
    EXPECT_EQ(traffic.network().use().messages_delivered, 5);
}

TEST(PacketNetwork, MessagesOfAStreamGoOneAfterAnother)
{
    PacketTraffic traffic(line(2), easy_links());
    const std::size_t first = traffic.send(0, 1, 10 * packet_bytes, 1);
    const std::size_t second = traffic.send(0, 1, 10 * packet_bytes, 1);
    const std::size_t other = traffic.send(0, 1, 10 * packet_bytes, 2);
    traffic.run();
    const auto arrival = [&](std::size_t number) { return traffic.arrivals()[number].at(0); };
    // Two streams take turns until the first message is complete, with its tenth packet.
    EXPECT_EQ(arrival(first), nanoseconds_of(19 * packet_bytes + 1000));
    EXPECT_EQ(arrival(other), nanoseconds_of(20 * packet_bytes + 1000));
    EXPECT_EQ(arrival(second), nanoseconds_of(30 * packet_bytes + 1000));
}

TEST(PacketNetwork, SoftwareIsPaidOnceAMessage)
{
    PacketNetworkSpec spec = easy_links();
    spec.message_latency = nanoseconds_of(300);
    EXPECT_EQ(alone(line(4), spec, 0, 3, packet_bytes),
              nanoseconds_of(packet_bytes + 3 * 1000 + 300));
    EXPECT_EQ(alone(line(4), spec, 0, 1, packet_bytes), nanoseconds_of(packet_bytes + 1000 + 300));
}

TEST(EventCalendar, GivesEventsInOrderOfTimeAndThenOfPosting)
{
    const std::int64_t horizon = 1'000'000;
    model::EventCalendar<int> calendar{Picoseconds(horizon)};
    std::multimap<std::int64_t, int> expected;
    std::mt19937 engine(5);
    std::int64_t time = 0;
    for (int event = 0; event < 20'000 || !calendar.empty(); ++event) {
        const bool far = engine() % 4 == 0;
        const std::int64_t at = time + static_cast<std::int64_t>(engine()) % (far ? horizon : 3);
        if (event < 20'000) {
            calendar.post(Picoseconds(at), event);
            expected.emplace(at, event);
        }
        if (event % 3 == 0 || event >= 20'000) {
            time = calendar.next().count();
            ASSERT_EQ(time, expected.begin()->first);
            calendar.advance_to(Picoseconds(time));
            calendar.take([&expected](int got) {
                EXPECT_EQ(got, expected.begin()->second);
                expected.erase(expected.begin());
            });
        }
    }
    EXPECT_TRUE(expected.empty());
}

TEST(EventCalendar, WhatIsPostedForThisMomentComesAfterIt)
{
    model::EventCalendar<int> calendar{Picoseconds(1000)};
    calendar.post(Picoseconds(7), 1);
    calendar.post(Picoseconds(7), 2);
    std::vector<std::vector<int>> moments;
    while (!calendar.empty()) {
        calendar.advance_to(calendar.next());
        moments.emplace_back();
        calendar.take([&](int event) {
            moments.back().push_back(event);
            for (int more = 0; event == 1 && more < 100; ++more) { // more than it has room for
                calendar.post(Picoseconds(7), 3 + more);
            }
        });
    }
    ASSERT_EQ(moments.size(), 2u);
    EXPECT_EQ(moments[0], (std::vector<int>{1, 2}));
    EXPECT_EQ(moments[1].size(), 100u);
    EXPECT_EQ(moments[1].back(), 102);
}

/// Room is looked at only when somebody wants it, but as long as some is on its way, something is
/// under way.
TEST(PacketNetwork, IsIdleWhenAllRoomIsBack)
{
    PacketTraffic traffic(line(3), easy_links());
    traffic.send(0, 2, packet_bytes);
    const std::int64_t arrival = packet_bytes + 2 * 1000;
    traffic.run_for(nanoseconds_of(arrival + 999));
    EXPECT_EQ(traffic.arrivals()[0], std::vector<Picoseconds>{nanoseconds_of(arrival)});
    EXPECT_FALSE(traffic.network().idle());
    traffic.run();
    EXPECT_TRUE(traffic.network().idle());
    EXPECT_EQ(now(), nanoseconds_of(arrival + 1000)); // a hop's latency
}

/// Every chip of a ring sends to the chip three further on, all at once.
std::int64_t left_over_on_a_ring(bool dateline)
{
    PacketNetworkSpec spec = easy_links();
    spec.buffer_bytes = Bytes(packet_bytes);
    spec.dateline = dateline;
    PacketTraffic traffic(ring(8), spec);
    for (int chip = 0; chip < 8; ++chip) {
        traffic.send(chip, (chip + 3) % 8, 4 * packet_bytes);
    }
    traffic.run();
    return traffic.network().undelivered();
}

TEST(PacketNetwork, ARingOfMessagesDeadlocksWithoutTheDateline)
{
    EXPECT_EQ(left_over_on_a_ring(false), 8);
    EXPECT_EQ(left_over_on_a_ring(true), 0);
}

TEST(PacketNetwork, UniformTrafficOnAnEightByEightTorusTakesFourHopsAsInBooksim)
{
    // Averaged over all pairs, a chip's traffic to itself included as BookSim's is: 2 per axis.
    const topologies::DimensionOrder routing(torus(8, 8));
    std::int64_t hops = 0;
    for (int source = 0; source < 64; ++source) {
        for (int destination = 0; destination < 64; ++destination) {
            hops += routing.hops(source, destination);
        }
    }
    EXPECT_EQ(hops, 4 * 64 * 64);

    const Json booksim = load_json(ALXSIM_SOURCE_DIR "/tests/oracle/booksim2_torus_uniform.json");
    int compared = 0;
    for (const Json& result : booksim.at("results")) {
        if (result.at("k") == 8 && !result.at("hops_incl_ejection_router").is_null()) {
            EXPECT_NEAR(result.at("hops_incl_ejection_router").get<double>() - 1, 4, 0.02);
            ++compared;
        }
    }
    EXPECT_GT(compared, 0);
}

/// Uniform traffic of single packets, a chip's own included, in an open loop: every chip offers
/// `load` times a link's rate. What arrives after a warm-up, in links' rates per chip; 1 is what
/// the bisection of an 8x8 torus lets through.
double accepted(double load, const PacketNetworkSpec& spec)
{
    PacketTraffic traffic(torus(8, 8), spec);
    std::mt19937 engine(7);
    std::bernoulli_distribution offers(load);
    std::uniform_int_distribution<int> any_chip(0, 63);
    const Picoseconds packet_time =
        to_picoseconds(Seconds(static_cast<double>(packet_bytes) / spec.link_bytes_per_second));
    const int warm_up = 2000;
    const int measured = 2000;
    Bytes before(0);
    for (int cycle = 0; cycle < warm_up + measured; ++cycle) {
        if (cycle == warm_up) {
            before = traffic.network().use().bytes_delivered;
        }
        for (int chip = 0; chip < 64; ++chip) {
            if (offers(engine)) {
                traffic.send(chip, any_chip(engine), packet_bytes);
            }
        }
        traffic.run_for(packet_time);
    }
    return (traffic.network().use().bytes_delivered - before) / Bytes(64 * packet_bytes * measured);
}

/// The highest load, in steps of 5 % of the bisection bound, that arrives but for 2 %.
double saturation(const PacketNetworkSpec& spec)
{
    for (int percent = 25; percent <= 100; percent += 5) {
        if (accepted(percent / 100.0, spec) < 0.98 * percent / 100.0) {
            return (percent - 5) / 100.0;
        }
    }
    return 1;
}

// BookSim saturates at 0.25 with two channels and at 0.70 to 0.75 with sixteen, of eight flits
// each. With its hop of six packet times and its eight packets of room ours saturates at 0.40 on
// two. The likely reasons, not tried one by one: here each channel's buffer reads into the crossbar
// on its own, and a chip feeds its links side by side. Room for the round trip gives 0.70. It stays
// below 1 as BookSim does; here because a blocked head holds up what is behind it.
TEST(PacketNetwork, SaturatesBetweenBooksimsFewAndManyChannels)
{
    PacketNetworkSpec as_booksim = fast_links();
    as_booksim.hop_latency = Picoseconds(546'000); // six times 4096 B at 45 GB/s
    as_booksim.buffer_bytes = Bytes(8 * packet_bytes);
    const double share = saturation(as_booksim);
    RecordProperty("saturation_as_booksim", std::to_string(share));
    EXPECT_NEAR(share, 0.40, 0.051); // measured: 0.40
    const double default_share = saturation(fast_links());
    RecordProperty("saturation", std::to_string(default_share));
    EXPECT_NEAR(default_share, 0.70, 0.051); // measured: 0.70
}

// BookSim's throughput falls beyond saturation with few channels, and so did ours, to 0.52, while
// what enters the network competed with what is on its way.
TEST(PacketNetwork, KeepsDeliveringWhenFarTooMuchIsOffered)
{
    const double share = accepted(1, fast_links());
    RecordProperty("accepted_at_full_load", std::to_string(share));
    EXPECT_NEAR(share, 0.72, 0.05); // measured: 0.72
}

TEST(WaitingQueue, KeepsItsOrderWhateverTheTime)
{
    const Picoseconds late(std::int64_t{1} << 62); // 53 days
    const model::WaitingQueue first(2, late, 64, 0, false);
    const model::WaitingQueue second(1, late + Picoseconds(1), 64, 0, false);
    const model::WaitingQueue far(0, Picoseconds(0), 64, 0, true);
    EXPECT_FALSE(first.yields());
    EXPECT_TRUE(far.yields());
    EXPECT_TRUE(first.goes_before(second));
    EXPECT_TRUE(second.goes_before(far));
    EXPECT_FALSE(far.goes_before(first));
}

} // namespace
} // namespace alxsim::sim
