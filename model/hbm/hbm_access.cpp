// SPDX-License-Identifier: Apache-2.0
#include "model/hbm/hbm_access.h"

#include "base/numbers/mix64.h"

#include <algorithm>

namespace alxsim::model {
namespace {

/// Reads and writes of a stream take turns in chunks of this many bytes: a VMEM access.
constexpr std::int64_t chunk = 4096;
/// Tables and streams stand apart; all that matters is that they do not share rows.
constexpr std::int64_t written_at = std::int64_t{1} << 36;
constexpr std::int64_t table_at = std::int64_t{1} << 37;
/// Rows of a table that the access does not bound: far more than are ever touched.
constexpr std::int64_t many_rows = std::int64_t{1} << 24;

std::int64_t values_of(topologies::HbmField field, const topologies::HbmSpec& spec)
{
    switch (field) {
    case topologies::HbmField::row:
        return spec.rows;
    case topologies::HbmField::bank:
        return spec.banks_per_group;
    case topologies::HbmField::bank_group:
        return spec.bank_groups;
    case topologies::HbmField::column:
        return spec.page.count() / spec.mapping.interleave.count();
    case topologies::HbmField::channel:
        return spec.channels;
    }
    return 1;
}

/// Half the banks of a group, as a distance of addresses. What is written stands so far from what
/// is read that the two streams of a copy do not close each other's rows: arrays at random places,
/// or a controller that hashes banks, mostly do not either.
std::int64_t half_the_banks(const topologies::HbmSpec& spec)
{
    std::int64_t distance = spec.mapping.interleave.count() * (spec.banks_per_group / 2);
    for (auto field = spec.mapping.fields.rbegin(); *field != topologies::HbmField::bank; ++field) {
        distance *= values_of(*field, spec);
    }
    return distance;
}

} // namespace

HbmAddressMap::HbmAddressMap(const topologies::HbmSpec& spec)
{
    std::int64_t below = spec.mapping.interleave.count();
    for (auto name = spec.mapping.fields.rbegin(); name != spec.mapping.fields.rend(); ++name) {
        const std::int64_t values = values_of(*name, spec);
        powers_ = powers_ && (below & (below - 1)) == 0 && (values & (values - 1)) == 0;
        fields_[static_cast<std::size_t>(*name)] = {
            below, values, __builtin_ctzll(static_cast<unsigned long long>(below))};
        below *= values;
    }
}

HbmBurst HbmAddressMap::locate(std::int64_t address, bool write) const
{
    using topologies::HbmField;
    const auto value = [&](HbmField name) { return field(name).of(address, powers_); };
    HbmBurst burst;
    burst.channel = static_cast<int>(value(HbmField::channel));
    burst.address = address;
    burst.request.bank_group = static_cast<int>(value(HbmField::bank_group));
    burst.request.bank = static_cast<int>(value(HbmField::bank));
    burst.request.row = value(HbmField::row);
    burst.request.write = write;
    return burst;
}

HbmBurst locate(std::int64_t address, bool write, const topologies::HbmSpec& spec)
{
    return HbmAddressMap(spec).locate(address, write);
}

Bytes HbmAccess::bytes() const
{
    return read + written + rows.stride * (rows.rows * (rows.read_first ? 2 : 1));
}

BurstStream::BurstStream(const HbmAccess& access, const topologies::HbmSpec& spec,
                         std::int64_t base)
    : access_(access),
      map_(spec),
      burst_(spec.burst.count()),
      base_(base),
      written_from_(written_at + half_the_banks(spec))
{
}

std::int64_t BurstStream::bursts() const
{
    const std::int64_t row = access_.rows.stride.count() * (access_.rows.read_first ? 2 : 1);
    return ceil_divide(access_.read.count(), burst_) +
           ceil_divide(access_.written.count(), burst_) +
           access_.rows.rows * std::max<std::int64_t>(1, ceil_divide(row, burst_));
}

bool BurstStream::next(HbmBurst& burst)
{
    std::int64_t address = 0;
    bool write = false;
    if (!next_address(address, write)) {
        return false;
    }
    burst = map_.locate(base_ + address, write);
    return true;
}

bool BurstStream::next_address(std::int64_t& address, bool& write)
{
    return next_of_row(address, write) || next_streamed(address, write);
}

/// Whichever direction is behind its share goes on, chunk by chunk.
bool BurstStream::next_streamed(std::int64_t& address, bool& write)
{
    const std::int64_t reads = access_.read.count();
    const std::int64_t writes = access_.written.count();
    if (read_ >= reads && written_ >= writes) {
        return false;
    }
    const auto chunks_of = [](std::int64_t bytes) { return bytes / chunk * chunk; };
    const double read_share = reads == 0 ? 1.0 : static_cast<double>(chunks_of(read_)) / reads;
    const double written_share =
        writes == 0 ? 1.0 : static_cast<double>(chunks_of(written_)) / writes;
    write = read_ >= reads || (written_ < writes && written_share < read_share);
    std::int64_t& at = write ? written_ : read_;
    address = at + (write ? written_from_ : 0);
    at += burst_;
    return true;
}

std::int64_t BurstStream::row_at(std::int64_t index) const
{
    const RowAccess& rows = access_.rows;
    const std::int64_t table = rows.table_rows > 0 ? rows.table_rows : many_rows;
    if (rows.pattern == AccessPattern::trace && rows.trace && !rows.trace->empty()) {
        return (*rows.trace)[static_cast<std::size_t>(index) % rows.trace->size()];
    }
    const auto random = static_cast<std::int64_t>(mix64(static_cast<std::uint64_t>(index)) %
                                                  static_cast<std::uint64_t>(table));
    if (rows.pattern == AccessPattern::clamped) {
        // Owned rows spread evenly among those that clamping sends to the edge.
        const bool owned = (index + 1) * rows.owned_rows / std::max<std::int64_t>(1, rows.rows) !=
                           index * rows.owned_rows / std::max<std::int64_t>(1, rows.rows);
        return owned ? random : table - 1;
    }
    return random;
}

bool BurstStream::next_of_row(std::int64_t& address, bool& write)
{
    const RowAccess& rows = access_.rows;
    if (row_ >= rows.rows) {
        return false;
    }
    const std::int64_t stride = rows.stride.count();
    if (in_row_ == 0) {
        row_begins_ = table_at + row_at(row_) * stride;
    }
    const bool again = rows.read_first && in_row_ >= stride;
    write = rows.read_first ? again : rows.write;
    address = row_begins_ + in_row_ - (again ? stride : 0);
    in_row_ += burst_;
    if (in_row_ >= stride * (rows.read_first ? 2 : 1)) {
        in_row_ = 0;
        ++row_;
    }
    return true;
}

} // namespace alxsim::model
