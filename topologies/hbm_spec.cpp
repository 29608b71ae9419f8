// SPDX-License-Identifier: Apache-2.0
#include "topologies/hbm_spec.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "topologies/preset_reader.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace alxsim::topologies {
namespace {

using FieldName = std::pair<std::string_view, HbmField>;
constexpr std::array<FieldName, 5> field_names{{{"row", HbmField::row},
                                                {"bank", HbmField::bank},
                                                {"bank_group", HbmField::bank_group},
                                                {"column", HbmField::column},
                                                {"channel", HbmField::channel}}};
constexpr const char* mapping_rule =
    "row, bank, bank_group, column and channel, each once, from the highest address bits to the "
    "lowest";

HbmField field_of(std::string_view name)
{
    for (const FieldName& field : field_names) {
        if (name == field.first) {
            return field.second;
        }
    }
    throw std::invalid_argument("'" + std::string(name) + "' is no part of an address");
}

/// A time of the data sheet in whole clocks, rounded up as a controller does.
std::int64_t clocks(const PresetReader& read, const char* key, double clock_hz)
{
    return rounded_up(read.seconds(key).count() * clock_hz - 1e-6);
}

DramTiming read_timing(const PresetReader& read, double clock_hz)
{
    const auto of = [&](const char* key) { return clocks(read, key, clock_hz); };
    DramTiming timing;
    timing.burst = read.count("hbm_burst_clocks");
    timing.cl = of("hbm_cl_s");
    timing.cwl = of("hbm_cwl_s");
    timing.rcd = of("hbm_trcd_s");
    timing.rp = of("hbm_trp_s");
    timing.ras = of("hbm_tras_s");
    timing.rrd_short = of("hbm_trrd_s_s");
    timing.rrd_long = of("hbm_trrd_l_s");
    timing.faw = of("hbm_tfaw_s");
    timing.ccd_short = read.count("hbm_tccd_s_clocks");
    timing.ccd_long = read.count("hbm_tccd_l_clocks");
    timing.wtr_short = of("hbm_twtr_s_s");
    timing.wtr_long = of("hbm_twtr_l_s");
    timing.rtp = of("hbm_trtp_s");
    timing.wr = of("hbm_twr_s");
    timing.refresh = of("hbm_trfc_s");
    timing.refresh_interval = of("hbm_trefi_s");
    return timing;
}

HbmMapping read_mapping(const PresetReader& read, const HbmSpec& spec)
{
    HbmMapping mapping;
    const std::string key = "hbm_address_mapping";
    try {
        mapping.fields = hbm_fields(read.text(key));
    } catch (const std::invalid_argument& error) {
        throw InputError("preset " + read.name(), key,
                         std::string(error.what()) + "; allowed: " + mapping_rule);
    }
    mapping.interleave =
        read.bytes_within("hbm_channel_interleave_bytes", spec.burst, spec.page, false);
    if (spec.page.count() % mapping.interleave.count() != 0 ||
        mapping.interleave.count() % spec.burst.count() != 0) {
        throw InputError("preset " + read.name(), "hbm_channel_interleave_bytes",
                         "found " + std::to_string(mapping.interleave.count()) +
                             "; allowed: whole bursts of " + std::to_string(spec.burst.count()) +
                             " bytes that divide a page of " + std::to_string(spec.page.count()));
    }
    return mapping;
}

int read_channels(const PresetReader& read)
{
    constexpr std::int64_t most = 4096; // a chip of 2025 has 256
    const std::int64_t channels =
        std::int64_t{read.count("hbm_stacks")} * read.count("hbm_channels_per_stack");
    if (channels > most) {
        read.refuse("hbm_channels_per_stack", "at most 4096 channels on a chip",
                    read.and_value("hbm_stacks"));
    }
    return static_cast<int>(channels);
}

/// As many as a controller keeps a bit each for (model/hbm/dram_channel.h).
void check_banks(const PresetReader& read, const HbmSpec& spec)
{
    constexpr std::int64_t most = 64;
    const std::int64_t banks = std::int64_t{spec.bank_groups} * spec.banks_per_group;
    if (banks > most) {
        read.refuse("hbm_banks_per_group", "at most 64 banks in a channel",
                    read.and_value("hbm_bank_groups"));
    }
}

/// Clocks of real parts are 0.5 to 3 GHz. Far from that, times of the data sheet are nothing, or
/// billions of clocks.
void check_clock(const PresetReader& read, const HbmSpec& spec)
{
    constexpr double slowest = 1e5;
    constexpr double fastest = 1e12;
    if (spec.clock_hz < slowest || spec.clock_hz > fastest) {
        const double per_clock = read.positive("hbm_bw_chip") / spec.clock_hz;
        read.refuse("hbm_bw_chip",
                    printed("%.3g to ", per_clock * slowest) +
                        printed("%.3g, which make the clock", per_clock * fastest) +
                        " of the HBM's channels 0.1 MHz to 1 THz",
                    read.and_value("hbm_stacks") + read.and_value("hbm_channels_per_stack") +
                        read.and_value("hbm_burst_bytes") + read.and_value("hbm_burst_clocks"));
    }
}

/// It is some microseconds in any part. Thousands of intervals are replayed where rates are
/// measured.
void check_refresh(const PresetReader& read, const HbmSpec& spec)
{
    const DramTiming& timing = spec.timing;
    const std::int64_t interval = timing.refresh_interval;
    if (static_cast<double>(interval) > 1e-3 * spec.clock_hz + 1) {
        read.refuse("hbm_trefi_s", "seconds from 0 to 0.001");
    }
    if (interval < 2 * (timing.refresh + timing.ras + timing.rp)) {
        read.refuse("hbm_trefi_s",
                    "at least twice the sum of hbm_trfc_s, hbm_tras_s and hbm_trp_s, which leaves "
                    "time between refreshes",
                    read.and_value("hbm_trfc_s") + read.and_value("hbm_tras_s") +
                        read.and_value("hbm_trp_s"));
    }
    const std::pair<const char*, std::int64_t> others[] = {{"hbm_cl_s", timing.cl},
                                                           {"hbm_cwl_s", timing.cwl},
                                                           {"hbm_trcd_s", timing.rcd},
                                                           {"hbm_trrd_s_s", timing.rrd_short},
                                                           {"hbm_trrd_l_s", timing.rrd_long},
                                                           {"hbm_tfaw_s", timing.faw},
                                                           {"hbm_twtr_s_s", timing.wtr_short},
                                                           {"hbm_twtr_l_s", timing.wtr_long},
                                                           {"hbm_trtp_s", timing.rtp},
                                                           {"hbm_twr_s", timing.wr}};
    for (const auto& [key, clocks_of_key] : others) {
        if (2 * clocks_of_key > interval) {
            read.refuse(key, "at most half of hbm_trefi_s", read.and_value("hbm_trefi_s"));
        }
    }
}

} // namespace

std::string HbmMapping::text() const
{
    std::string joined;
    for (const HbmField field : fields) {
        for (const FieldName& name : field_names) {
            if (name.second == field) {
                joined += (joined.empty() ? "" : " ") + std::string(name.first);
            }
        }
    }
    return joined;
}

std::array<HbmField, 5> hbm_fields(const std::string& text)
{
    constexpr const char* blanks = " \t\n\r\f\v";
    std::array<HbmField, 5> fields{};
    std::size_t found = 0;
    for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
        const std::string_view word = std::string_view(text).substr(begin, end - begin);
        const HbmField field = field_of(word);
        const auto end_of_found = fields.begin() + found;
        if (std::find(fields.begin(), end_of_found, field) != end_of_found) {
            throw std::invalid_argument("'" + std::string(word) + "' stands twice");
        }
        fields[found++] = field;
        begin = text.find_first_not_of(blanks, end);
    }
    if (found != fields.size()) {
        throw std::invalid_argument("found " + std::to_string(found) + " parts");
    }
    return fields;
}

HbmSpec read_hbm(const PresetReader& read)
{
    HbmSpec spec;
    spec.channels = read_channels(read);
    spec.bank_groups = read.count("hbm_bank_groups");
    spec.banks_per_group = read.count("hbm_banks_per_group");
    check_banks(read, spec);
    spec.page = read.bytes_within("hbm_page_bytes", Bytes(1), Bytes(1 << 20), false);
    spec.rows = ceil_divide(read.bytes("hbm_bytes_chip").count(),
                            spec.page.count() * spec.banks() * spec.channels);
    spec.burst = read.bytes_within("hbm_burst_bytes", Bytes(8), Bytes(1 << 20), false);
    if (spec.page < spec.burst) {
        read.refuse("hbm_page_bytes", "a burst or more", read.and_value("hbm_burst_bytes"));
    }
    const double bursts_per_second =
        read.positive("hbm_bw_chip") / static_cast<double>(spec.burst.count()) / spec.channels;
    spec.clock_hz = bursts_per_second * read.count("hbm_burst_clocks");
    check_clock(read, spec);
    spec.timing = read_timing(read, spec.clock_hz);
    spec.mapping = read_mapping(read, spec);
    spec.bank_queue = read.count("hbm_bank_queue");
    spec.transaction_queue = read.count("hbm_transaction_queue");
    check_refresh(read, spec);
    return spec;
}

} // namespace alxsim::topologies
