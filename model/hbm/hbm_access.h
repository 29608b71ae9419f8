// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "model/hbm/dram_channel.h"
#include "topologies/hbm_spec.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::model {

/// A burst and the channel that it belongs to.
struct HbmBurst {
    int channel = 0;
    std::int64_t address = 0;
    DramRequest request;
};

/// Where bytes stand. Addresses beyond the last row wrap round.
class HbmAddressMap {
public:
    explicit HbmAddressMap(const topologies::HbmSpec& spec);
    HbmBurst locate(std::int64_t address, bool write) const;

private:
    /// Bits of an address, or the rest of a division where a size is no power of two.
    struct Field {
        std::int64_t below = 1;  ///< product of the sizes of all lower fields
        std::int64_t values = 1; ///< of this one
        int shift = 0;
        std::int64_t of(std::int64_t address, bool powers) const
        {
            return powers ? address >> shift & (values - 1) : address / below % values;
        }
    };

    const Field& field(topologies::HbmField name) const
    {
        return fields_[static_cast<std::size_t>(name)];
    }

    std::array<Field, 5> fields_;
    bool powers_ = true; ///< of two are all sizes: no division
};

HbmBurst locate(std::int64_t address, bool write, const topologies::HbmSpec& spec);

/// Rows of a table, in the order in which they are touched. Their places are whole granules.
struct RowAccess {
    std::int64_t rows = 0;
    Bytes stride{0};             ///< of a row in the table, granules rounded up
    std::int64_t table_rows = 0; ///< 0: so many that no row comes twice
    AccessPattern pattern = AccessPattern::uniform;
    std::int64_t owned_rows = 0; ///< of a clamped pattern: rows that are not the edge row
    std::shared_ptr<const std::vector<std::int64_t>> trace; ///< of a trace: which ones, repeated
    bool write = false;
    bool read_first = false; ///< a read-modify-write
};

/// What an op moves between HBM and a device: streams from end to end, and rows.
struct HbmAccess {
    Bytes read{0}, written{0}; ///< streamed
    RowAccess rows;
    Picoseconds over{0}; ///< as they come, in so long; 0: as fast as it goes

    Bytes bytes() const;
};

/// The bursts of an access, one after the other, as a DMA engine would ask for them: streams in
/// chunks of which reads and writes take turns, rows in their order. Uniform rows come from a fixed
/// generator: equal accesses give equal bursts.
class BurstStream {
public:
    /// All addresses begin at `base`.
    BurstStream(const HbmAccess& access, const topologies::HbmSpec& spec, std::int64_t base = 0);

    /// How many there are, from the first on.
    std::int64_t bursts() const;
    /// False when there is none left.
    bool next(HbmBurst& burst);

private:
    bool next_address(std::int64_t& address, bool& write);
    bool next_streamed(std::int64_t& address, bool& write);
    bool next_of_row(std::int64_t& address, bool& write);
    std::int64_t row_at(std::int64_t index) const;

    HbmAccess access_;
    HbmAddressMap map_;
    std::int64_t burst_; ///< bytes
    std::int64_t base_;
    std::int64_t written_from_;           ///< where the written stream begins
    std::int64_t read_ = 0, written_ = 0; ///< bytes of the streams handed out
    std::int64_t row_ = 0;
    std::int64_t row_begins_ = 0; ///< address of the row under way
    std::int64_t in_row_ = 0;     ///< bytes of it handed out, in both directions
};

} // namespace alxsim::model
