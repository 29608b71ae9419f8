// SPDX-License-Identifier: Apache-2.0
#include "topologies/hbm_spec.h"

#include "base/input_error.h"
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

/// As many as a controller keeps a bit each for (model/hbm/dram_channel.h).
void check_banks(const PresetReader& read, const HbmSpec& spec)
{
    constexpr std::int64_t most = 64;
    const std::int64_t banks = std::int64_t{spec.bank_groups} * spec.banks_per_group;
    if (banks > most) {
        throw InputError("preset " + read.name(), "hbm_banks_per_group",
                         "found " + std::to_string(spec.banks_per_group) + " in each of " +
                             std::to_string(spec.bank_groups) +
                             " groups; allowed: at most 64 banks in a channel");
    }
}

void check_refresh(const PresetReader& read, const HbmSpec& spec)
{
    const DramTiming& timing = spec.timing;
    if (timing.refresh_interval < 2 * (timing.refresh + timing.ras + timing.rp)) {
        throw InputError("preset " + read.name(), "hbm_trefi_s",
                         "leaves no time between refreshes; allowed: at least twice the sum of "
                         "hbm_trfc_s, hbm_tras_s and hbm_trp_s");
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
    spec.channels = read.count("hbm_stacks") * read.count("hbm_channels_per_stack");
    spec.bank_groups = read.count("hbm_bank_groups");
    spec.banks_per_group = read.count("hbm_banks_per_group");
    check_banks(read, spec);
    spec.page = read.bytes("hbm_page_bytes");
    spec.rows = ceil_divide(read.bytes("hbm_bytes_chip").count(),
                            spec.page.count() * spec.banks() * spec.channels);
    spec.burst = read.bytes_within("hbm_burst_bytes", Bytes(1), spec.page, false);
    const double bursts_per_second =
        read.positive("hbm_bw_chip") / static_cast<double>(spec.burst.count()) / spec.channels;
    spec.clock_hz = bursts_per_second * read.count("hbm_burst_clocks");
    spec.timing = read_timing(read, spec.clock_hz);
    spec.mapping = read_mapping(read, spec);
    spec.bank_queue = read.count("hbm_bank_queue");
    spec.transaction_queue = read.count("hbm_transaction_queue");
    check_refresh(read, spec);
    return spec;
}

} // namespace alxsim::topologies
