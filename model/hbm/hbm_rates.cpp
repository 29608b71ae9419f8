// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/hbm_rates.h"

#include "base/memo.h"
#include "model/hbm/hbm_replay.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace alxsim::model {
namespace {

using topologies::HbmField;
using topologies::HbmSpec;

/// Channels of which a chip's rate is measured, where all of them do the same. A stream is dealt
/// out evenly, so that few show its rate (4 and 16 agree to 0.01 %); rows at random meet in some
/// channels, which 8 show to 1 %.
constexpr int channels_of_a_stream = 4;
constexpr int channels_of_rows = 8;
/// Refresh intervals that are counted, after one for getting there.
constexpr int intervals_of_a_stream = 2;
constexpr int intervals_of_rows = 4;
/// Rows of a trace that are replayed, and their bytes, which take a tenth of a second; of a longer
/// one, so many in blocks spread over it.
constexpr std::int64_t replayed_rows = 16384;
constexpr Bytes replayed_bytes{16 << 20};
constexpr std::int64_t replayed_blocks = 16;
/// A table of that many bytes per channel is as good as endless: rows hardly come twice.
constexpr std::int64_t large_table = 1 << 20;

bool channels_share_evenly(const HbmSpec& spec)
{
    return spec.mapping.fields.back() == HbmField::channel;
}

HbmRateKey key_of(const HbmSpec& spec, const HbmAccess& access)
{
    const topologies::DramTiming& t = spec.timing;
    const auto field = [&](std::size_t i) {
        return static_cast<std::int64_t>(spec.mapping.fields[i]);
    };
    const RowAccess& rows = access.rows;
    return {spec.channels,
            spec.bank_groups,
            spec.rows,
            spec.banks_per_group,
            spec.bank_queue,
            spec.transaction_queue,
            spec.page.count(),
            spec.burst.count(),
            spec.mapping.interleave.count(),
            field(0),
            field(1),
            field(2),
            field(3),
            field(4),
            t.burst,
            t.cl,
            t.cwl,
            t.rcd,
            t.rp,
            t.ras,
            t.rrd_short,
            t.rrd_long,
            t.faw,
            t.ccd_short,
            t.ccd_long,
            t.wtr_short,
            t.wtr_long,
            t.rtp,
            t.wr,
            t.refresh,
            t.refresh_interval,
            access.read.count(),
            access.written.count(),
            rows.rows,
            rows.stride.count(),
            rows.table_rows,
            std::int64_t{rows.write},
            std::int64_t{rows.read_first},
            static_cast<std::int64_t>(rows.pattern)};
}

/// Hashes what differs between the accesses of a machine: its memory's timing is mostly the same.
struct KeyHash {
    std::size_t operator()(const HbmRateKey& key) const
    {
        constexpr std::array<std::size_t, 9> telling{0, 6, 8, 31, 32, 34, 35, 36, 37};
        std::uint64_t hash = 0;
        for (const std::size_t i : telling) {
            hash = (hash ^ static_cast<std::uint64_t>(key[i])) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 32;
        }
        return hash;
    }
};

/// Share of the data buses' time that an endless access fills, over whole refresh intervals.
double measure(const HbmSpec& spec, const HbmAccess& access)
{
    const DramClock interval = spec.timing.refresh_interval;
    const int intervals = access.rows.rows > 0 ? intervals_of_rows : intervals_of_a_stream;
    HbmOffer offer;
    offer.window = 64 * spec.channels;
    offer.until = interval * (intervals + 1); // what is done by then was issued before
    const HbmReplayResult result = replay(spec, access, offer);
    const auto inside = std::count_if(result.done.begin(), result.done.end(), [&](DramClock done) {
        return done > interval && done <= interval * (intervals + 1);
    });
    return static_cast<double>(inside * spec.timing.burst) /
           static_cast<double>(interval * intervals * spec.channels);
}

Memo<HbmRateKey, double>& known_shares()
{
    static Memo<HbmRateKey, double> known;
    return known;
}

/// `measure`, remembered: it takes milliseconds and depends on nothing else. What a thread asked
/// for before it finds without the others.
double steady_share(const HbmSpec& spec, const HbmAccess& access)
{
    thread_local std::unordered_map<HbmRateKey, double, KeyHash> asked;
    const HbmRateKey key = key_of(spec, access);
    const auto found = asked.find(key);
    if (found != asked.end()) {
        return found->second;
    }
    const double share = known_shares().get_once(key, [&] { return measure(spec, access); });
    asked.emplace(key, share);
    return share;
}

HbmSpec with_few_channels(HbmSpec spec, int few)
{
    if (channels_share_evenly(spec)) {
        spec.channels = std::min(spec.channels, few);
    }
    return spec;
}

/// So many bytes or rows that the measurement ends first.
std::int64_t endless(const HbmSpec& spec)
{
    return spec.channels * spec.burst.count() * spec.timing.refresh_interval *
           (std::max(intervals_of_rows, intervals_of_a_stream) + 2);
}

double time_of(Bytes bytes, double bytes_per_second)
{
    return static_cast<double>(bytes.count()) / bytes_per_second;
}

int channels_touched(const HbmSpec& spec, Bytes stride)
{
    const HbmAddressMap map(spec);
    std::vector<bool> touched(static_cast<std::size_t>(spec.channels), false);
    for (std::int64_t at = 0; at < stride.count(); at += spec.burst.count()) {
        touched[static_cast<std::size_t>(map.locate(at, false).channel)] = true;
    }
    return static_cast<int>(std::count(touched.begin(), touched.end(), true));
}

/// Bytes per second of one row read over and over: of those channels that it touches.
double edge_bytes_per_second(const HbmSpec& spec, const RowAccess& rows)
{
    const HbmSpec few =
        with_few_channels(spec, std::max(channels_of_rows, channels_touched(spec, rows.stride)));
    HbmAccess access;
    access.rows = rows;
    access.rows.pattern = AccessPattern::clamped;
    access.rows.owned_rows = 0;
    access.rows.rows = endless(few) / rows.stride.count();
    access.rows.table_rows = 1;
    return steady_share(few, access) * few.peak_bytes_per_second();
}

struct BusyAlone {
    double busy = 0;
    double alone = 0;
    std::string_view limited_by = "HBM bandwidth";
};

HbmSpec as_edge_rows_see_it(HbmSpec spec)
{
    if (spec.edge_interleave > Bytes(0)) {
        spec.mapping.interleave = spec.edge_interleave;
    }
    return spec;
}

Bytes bytes_per_row(const RowAccess& rows)
{
    return rows.stride * (rows.read_first ? 2 : 1);
}

BusyAlone clamped_time(const RowAccess& rows, const HbmSpec& spec)
{
    const HbmSpec edges = as_edge_rows_see_it(spec);
    const Bytes row_bytes = bytes_per_row(rows);
    const std::int64_t owned = std::min(rows.owned_rows, rows.rows);
    const double edge =
        time_of(row_bytes * (rows.rows - owned), edge_bytes_per_second(edges, rows));
    const double own = time_of(row_bytes * owned, row_bytes_per_second(spec, rows));
    const double share = static_cast<double>(channels_touched(edges, rows.stride)) / spec.channels;
    // The edge row's channels serve their part of the owned rows, too.
    return {edge * share + own, edge + own, "one row's HBM channel"};
}

/// The rows as they come; of a long trace, blocks spread evenly from its first row to its last.
RowAccess replayed(const RowAccess& rows)
{
    RowAccess some = rows;
    const std::int64_t most =
        std::min(replayed_rows, replayed_bytes.count() / bytes_per_row(rows).count());
    if (rows.rows <= std::max(most, replayed_blocks)) {
        return some;
    }
    const std::int64_t block = std::max<std::int64_t>(1, most / replayed_blocks);
    const auto length = static_cast<std::int64_t>(rows.trace->size());
    std::vector<std::int64_t> ids;
    ids.reserve(static_cast<std::size_t>(block * replayed_blocks));
    for (std::int64_t i = 0; i < replayed_blocks; ++i) {
        const std::int64_t first = i * (rows.rows - block) / (replayed_blocks - 1);
        for (std::int64_t at = first; at < first + block; ++at) {
            ids.push_back((*rows.trace)[static_cast<std::size_t>(at % length)]);
        }
    }
    some.rows = block * replayed_blocks;
    some.trace = std::make_shared<const std::vector<std::int64_t>>(std::move(ids));
    return some;
}

/// Through every bank.
BusyAlone trace_time(const RowAccess& rows, const HbmSpec& spec)
{
    HbmAccess access;
    access.rows = replayed(rows);
    HbmOffer offer;
    offer.window = 64 * spec.channels;
    const HbmReplayResult result = replay(spec, access, offer);
    const double scale = static_cast<double>(rows.rows) / access.rows.rows;
    const std::int64_t most =
        *std::max_element(result.bursts_of_channel.begin(), result.bursts_of_channel.end());
    const double alone = static_cast<double>(result.clocks) / spec.clock_hz * scale;
    const double evenness = static_cast<double>(result.bursts) / (most * spec.channels);
    return {alone * evenness, alone, evenness < 0.5 ? "few HBM channels" : "HBM banks"};
}

BusyAlone row_time(const RowAccess& rows, const HbmSpec& spec)
{
    if (rows.rows == 0) {
        return {};
    }
    if (rows.pattern == AccessPattern::clamped) {
        return clamped_time(rows, spec);
    }
    if (rows.pattern == AccessPattern::trace && rows.trace) {
        return trace_time(rows, spec);
    }
    const Bytes bytes = bytes_per_row(rows) * rows.rows;
    const double time = time_of(bytes, row_bytes_per_second(spec, rows));
    const Bytes opened(std::min(rows.stride.count(), spec.mapping.interleave.count()));
    const HbmBounds bounds = hbm_bounds(spec, opened);
    const bool rows_bind = bounds.tightest() < bounds.refresh;
    return {time, time, rows_bind ? bounds.name_of_tightest() : "HBM bandwidth"};
}

double stream_time(const HbmAccess& access, StreamRates& streams)
{
    const Bytes both = std::min(access.read, access.written);
    const Bytes rest = std::max(access.read, access.written) - both;
    double time = 0;
    if (both > Bytes(0)) {
        time += time_of(both * 2, streams.copied());
    }
    if (rest > Bytes(0)) {
        time += time_of(rest, access.read < access.written ? streams.written() : streams.read());
    }
    return time;
}

/// The rate hardly follows the size of a table of many rows, and one that is known need not be
/// measured. A few rows are taken as they are.
std::int64_t power_of_two_below(std::int64_t rows)
{
    constexpr std::int64_t few_rows = 16;
    std::int64_t power = few_rows;
    while (2 * power <= rows) {
        power *= 2;
    }
    return rows < few_rows ? rows : power;
}

} // namespace

double stream_bytes_per_second(const HbmSpec& spec, double written_share)
{
    const HbmSpec few = with_few_channels(spec, channels_of_a_stream);
    const auto all = static_cast<double>(endless(few));
    HbmAccess access;
    access.written = Bytes(static_cast<std::int64_t>(all * written_share));
    access.read = Bytes(static_cast<std::int64_t>(all)) - access.written;
    return steady_share(few, access) * spec.peak_bytes_per_second();
}

double row_bytes_per_second(const HbmSpec& spec, const RowAccess& rows)
{
    const HbmSpec few = with_few_channels(spec, channels_of_rows);
    HbmAccess access;
    access.rows = rows;
    access.rows.trace = nullptr;
    access.rows.pattern = AccessPattern::uniform;
    access.rows.owned_rows = 0;
    access.rows.rows = endless(few) / rows.stride.count() + 1;
    if (rows.table_rows * rows.stride.count() >= large_table * spec.channels) {
        access.rows.table_rows = 0;
    } else if (rows.table_rows > 0) {
        // As many rows for each channel as the whole table has.
        access.rows.table_rows = power_of_two_below(
            std::max<std::int64_t>(1, rows.table_rows * few.channels / spec.channels));
    }
    return steady_share(few, access) * spec.peak_bytes_per_second();
}

HbmRateShares known_hbm_rates()
{
    return known_shares().all();
}

void tell_hbm_rates(const HbmRateShares& shares)
{
    for (const auto& [key, share] : shares) {
        known_shares().put(key, share);
    }
}

HbmBounds hbm_bounds(const HbmSpec& spec, Bytes bytes_per_row)
{
    const topologies::DramTiming& t = spec.timing;
    const auto bus =
        static_cast<double>(ceil_divide(bytes_per_row.count(), spec.burst.count()) * t.burst);
    const double window =
        std::max(static_cast<double>(t.faw) / 4.0, static_cast<double>(t.rrd_short));
    const double cycle = static_cast<double>(std::max(t.ras, t.rcd + t.rtp) + t.rp) / spec.banks();
    HbmBounds bounds;
    bounds.refresh = 1.0 - static_cast<double>(t.refresh) / static_cast<double>(t.refresh_interval);
    bounds.activates = bounds.refresh * std::min(1.0, bus / window);
    bounds.banks = bounds.refresh * std::min(1.0, bus / cycle);
    return bounds;
}

double HbmBounds::tightest() const
{
    return std::min({refresh, activates, banks});
}

std::string_view HbmBounds::name_of_tightest() const
{
    if (tightest() == refresh) {
        return "HBM bandwidth";
    }
    return tightest() == activates ? "HBM activate window" : "HBM bank cycle";
}

double StreamRates::of(int written_halves)
{
    double& rate = rates_[static_cast<std::size_t>(written_halves)];
    if (rate == 0) {
        rate = stream_bytes_per_second(*spec_, written_halves / 2.0);
    }
    return rate;
}

HbmCost hbm_cost(const HbmAccess& access, const topologies::Machine& machine)
{
    StreamRates streams(machine.hbm);
    return hbm_cost(access, machine, streams);
}

HbmCost hbm_cost(const HbmAccess& access, const topologies::Machine& machine, StreamRates& streams)
{
    HbmCost cost;
    cost.bytes = access.bytes();
    if (cost.bytes == Bytes(0)) {
        return cost;
    }
    const BusyAlone rows = row_time(access.rows, machine.hbm);
    const double streamed = stream_time(access, streams);
    const double engines = time_of(cost.bytes, machine.device.dma_bytes_per_second);
    cost.busy = to_picoseconds(Seconds(rows.busy + streamed));
    cost.alone = to_picoseconds(Seconds(std::max(rows.alone + streamed, engines)));
    cost.alone_limit = rows.alone > streamed ? rows.limited_by : "HBM bandwidth";
    if (engines > rows.alone + streamed) {
        cost.alone_limit = "DMA engines";
    }
    return cost;
}

} // namespace alxsim::model
