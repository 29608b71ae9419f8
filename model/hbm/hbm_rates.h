// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/hbm_access.h"
#include "topologies/machine.h"

#include <array>
#include <cstdint>
#include <map>
#include <string_view>

namespace alxsim::model {

/// What an access costs the HBM of a chip.
struct HbmCost {
    Bytes bytes{0};       ///< moved, whole granules
    Picoseconds busy{0};  ///< if every channel worked on it: what it takes from other devices
    Picoseconds alone{0}; ///< if no other device moves anything; longer where it uses few channels,
                          ///< or the device's DMA engines are slower than the memory
    std::string_view alone_limit; ///< what `alone` is limited by
};

/// The fast path: rates of long streams and big gathers, measured once by running the bank model
/// (DramChannel) over whole refresh intervals; the time is bytes over rate. Held equal to the
/// simulated banks by tests/device/hbm_banks_test.cpp.
HbmCost hbm_cost(const HbmAccess& access, const topologies::Machine& machine);

/// Bytes per second of a chip's memory under the endless streams of ops, each looked up once for
/// all of a graph.
class StreamRates {
public:
    /// `spec` outlives it.
    explicit StreamRates(const topologies::HbmSpec& spec) : spec_(&spec) {}

    double read() { return of(0); }
    double copied() { return of(1); } ///< as many bytes are read as written
    double written() { return of(2); }

private:
    double of(int written_halves);

    const topologies::HbmSpec* spec_;
    std::array<double, 3> rates_{}; ///< 0: not looked up
};

/// The same as the first; `streams` are of the machine's memory.
HbmCost hbm_cost(const HbmAccess& access, const topologies::Machine& machine, StreamRates& streams);

/// Bytes per second of the chip under an endless access of this kind.
double stream_bytes_per_second(const topologies::HbmSpec& spec, double written_share);
double row_bytes_per_second(const topologies::HbmSpec& spec, const RowAccess& rows);

/// Everything that a measured rate depends on: the specification of the banks, and the access.
using HbmRateKey = std::array<std::int64_t, 39>;
/// Share of the data buses' time that an endless access fills.
using HbmRateShares = std::map<HbmRateKey, double>;

/// What was measured, or told, in this process. A measurement takes milliseconds, so that other
/// processes may be told of it.
HbmRateShares known_hbm_rates();
void tell_hbm_rates(const HbmRateShares& shares);

/// What no schedule of commands can exceed, as shares of the data buses' peak.
struct HbmBounds {
    double refresh = 1;   ///< 1 - tRFC / tREFI
    double activates = 1; ///< four rows opened in tFAW, and one in tRRD
    double banks = 1;     ///< every bank opens a row in tRAS + tRP
    double tightest() const;
    std::string_view name_of_tightest() const;
};

/// For accesses that open a DRAM row for every `bytes_per_row` bytes of a channel.
HbmBounds hbm_bounds(const topologies::HbmSpec& spec, Bytes bytes_per_row);

} // namespace alxsim::model
