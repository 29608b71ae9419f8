// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/hbm_rates.h"

#include "model/hbm/hbm_rates.h"

namespace alxsim::experiments {
namespace {

/// A row of 128 bf16 numbers.
constexpr std::int64_t row_bytes = 256;
constexpr std::int64_t rows = 1'000'000;

/// Seconds a row of a large gather by one device, the other devices of the chip at rest.
double bank_seconds(const topologies::Machine& machine, model::AccessPattern pattern)
{
    model::HbmAccess access;
    access.rows.rows = rows;
    access.rows.stride = Bytes(round_up(row_bytes, machine.device.hbm_granule.count()));
    access.rows.table_rows = std::int64_t{1} << 24;
    access.rows.pattern = pattern;
    return to_seconds(model::hbm_cost(access, machine).alone).count() / rows;
}

} // namespace

report::HbmRates hbm_rates_of(const topologies::Machine& machine)
{
    const double peak = machine.hbm.peak_bytes_per_second();
    return {machine.hbm.channels,
            machine.hbm.mapping.text(),
            machine.hbm.mapping.interleave.count(),
            model::stream_bytes_per_second(machine.hbm, 0) / peak,
            model::stream_bytes_per_second(machine.hbm, 0.5) / peak,
            {row_bytes, machine.device.gather_row.count(),
             bank_seconds(machine, model::AccessPattern::uniform),
             bank_seconds(machine, model::AccessPattern::clamped)}};
}

} // namespace alxsim::experiments
