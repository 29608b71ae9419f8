// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <array>
#include <cstdint>
#include <string>

namespace alxsim::topologies {

class PresetReader;

/// Parts of an HBM address, as a mapping names them.
enum class HbmField { row, bank, bank_group, column, channel };

/// Where the bytes of an address stand. The lowest bits are the offset within `interleave` bytes,
/// which share a channel and a row; above it come the fields, listed from the highest to the
/// lowest. "row bank bank_group column channel" with 256 bytes sends consecutive 256-byte blocks to
/// consecutive channels.
struct HbmMapping {
    std::array<HbmField, 5> fields{HbmField::row, HbmField::bank, HbmField::bank_group,
                                   HbmField::column, HbmField::channel};
    Bytes interleave{256};

    std::string text() const;
};

/// Field names separated by blanks, each once. Throws std::invalid_argument saying what is wrong.
std::array<HbmField, 5> hbm_fields(const std::string& text);

/// Times of a DRAM channel in its own clocks, named as JEDEC does (JESD235 for HBM).
struct DramTiming {
    std::int64_t burst = 2; ///< data bus busy with one burst
    std::int64_t cl = 14, cwl = 4;
    std::int64_t rcd = 14, rp = 14, ras = 34;
    std::int64_t rrd_short = 4, rrd_long = 6;            ///< activates; long: within a bank group
    std::int64_t faw = 30;                               ///< window of four activates
    std::int64_t ccd_short = 1, ccd_long = 2;            ///< columns; long: within a bank group
    std::int64_t wtr_short = 6, wtr_long = 8;            ///< end of write data to read
    std::int64_t rtp = 4, wr = 16;                       ///< read, end of write data to precharge
    std::int64_t refresh = 260, refresh_interval = 3900; ///< tRFC of all banks, tREFI
};

/// The HBM of one chip.
struct HbmSpec {
    int channels = 8; ///< pseudo-channels where the generation has them: what has its own buses
    int bank_groups = 4;
    int banks_per_group = 4;
    std::int64_t rows = 32768; ///< of one bank: what the capacity needs
    Bytes page{1024};          ///< open row of one bank
    Bytes burst{64};           ///< bytes of one column access
    double clock_hz = 1e9;     ///< of the channels: what moves the chip's bandwidth in whole bursts
    DramTiming timing;
    HbmMapping mapping;
    /// Interleave of the mapping where one row is looked up over and over, by the fast path alone;
    /// 0: the mapping's own. Streams and spread rows hardly follow it.
    Bytes edge_interleave{0};
    int bank_queue = 8;         ///< requests that wait at one bank
    int transaction_queue = 32; ///< reads, and writes, that wait at a channel before that

    int banks() const { return bank_groups * banks_per_group; }
    double peak_bytes_per_second() const
    {
        return channels * static_cast<double>(burst.count()) * clock_hz /
               static_cast<double>(timing.burst);
    }
};

/// Throws InputError where the numbers do not make a memory (an interleave that is longer than a
/// page, say).
HbmSpec read_hbm(const PresetReader& read);

} // namespace alxsim::topologies
