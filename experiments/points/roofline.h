// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What one chip reaches of a mechanism. Rates are of the chip, in units a second.
struct RooflineRow {
    std::string name;
    std::string unit; ///< "flop", "bytes", "rows"
    double simulated_per_second = 0;
    std::optional<double> datasheet_per_second;
    std::string limited_by;
};

template <class Fields>
void list_fields(Fields& fields, RooflineRow& row)
{
    fields("name", row.name);
    fields("unit", row.unit);
    fields("simulated_per_second", row.simulated_per_second);
    fields("datasheet_per_second", row.datasheet_per_second);
    fields("limited_by", row.limited_by);
}

/// Mechanism by mechanism, in simulation. All devices of the chip work at once.
std::vector<RooflineRow> roofline(const topologies::Preset& preset);

/// What one chip of a generation reaches in simulation, mechanism by mechanism, next to its
/// datasheet: a table for people. All devices of the chip work at once; rates are of the chip.
std::string roofline_table(const topologies::Preset& preset);

} // namespace alxsim::experiments
