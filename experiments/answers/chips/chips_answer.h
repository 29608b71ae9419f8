// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/roofline.h"
#include "report/point_fields.h"
#include "topologies/chip_json.h"
#include "topologies/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What `alxsim chips NAME --json` prints.
struct NamedChip {
    topologies::ToldChip chip;
    std::optional<report::PointMachine> machine; ///< of a name with a size
};

/// A chip of `alxsim chips --roofline --json`.
struct ChipRoofline {
    std::string name;
    std::vector<RooflineRow> roofline;
};

template <class Fields>
void list_fields(Fields& fields, NamedChip& named)
{
    list_fields(fields, named.chip);
    fields("machine", named.machine, "Of a name with a size, like v5e-16: the slice.");
}

template <class Fields>
void list_fields(Fields& fields, ChipRoofline& chip)
{
    fields("name", chip.name, "Of the preset.");
    fields("roofline", chip.roofline, "What it reaches in simulation, mechanism by mechanism.");
}

/// The machine that a name with a size is of; none of other names.
std::optional<topologies::Machine> machine_named(const std::string& chip,
                                                 const topologies::Preset& preset);
/// Throws InputError for a name that is none.
NamedChip named_chip(const std::string& name);
/// What `alxsim chips --json` prints: {"chips": [..]}.
Json listed_chips();
/// The same with --unsourced or --roofline; of all presets where `name` is empty.
Json unsourced_of_chips(const std::string& name);
Json roofline_of_chips(const std::string& name);

/// The JSON Schema of all four: of one chip, or of a list of one of three kinds, which
/// definitions has.
const Json& chips_schema();

} // namespace alxsim::experiments
