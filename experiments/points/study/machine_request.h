// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "report/point.h"
#include "topologies/machine.h"

#include <optional>
#include <string>

namespace alxsim::experiments {

/// What a study's `machine` says.
struct MachineRequest {
    std::optional<std::string>
        chip; ///< a preset's name or path; a study may leave it to its series
    std::optional<int> cores;
    std::optional<std::string> slice;      ///< "8x16", chips per axis
    std::optional<std::vector<bool>> wrap; ///< per axis
    bool twisted = false;
    std::optional<int> slices;                 ///< 1
    Named<Json> axes;                          ///< axis of the job's mesh -> axes of the slice
    Named<Json> overrides;                     ///< preset key -> value, or a factor like "x2"
    std::optional<std::string> schedule;       ///< xla, the default, or fastest
    std::optional<std::string> compiler_flags; ///< default, recipe or none
    std::optional<Json> faults;                ///< as topologies::read_faults() has them
};

template <class Fields>
void list_fields(Fields& fields, MachineRequest& request)
{
    fields("chip", request.chip);
    fields("cores", request.cores);
    fields("slices", request.slices);
    fields("slice", request.slice);
    fields("wrap", request.wrap);
    fields.if_true("twisted", request.twisted);
    fields.unless_empty("axes", request.axes);
    fields.unless_empty("overrides", request.overrides);
    fields("schedule", request.schedule);
    fields("compiler_flags", request.compiler_flags);
    fields("faults", request.faults);
}

/// A preset's name as it is, or the path of one of one's own as the study means it: relative to the
/// study's folder.
std::string chip_of(const std::string& chip, const std::string& study_file);

/// The same request with the preset's name for a chip that goes by another, and where that name has
/// a size ("v5e-256"), with the cores of it and, if it is said in chips per axis, the slice. What
/// names no preset of the program stays. Throws InputError at /machine for cores or a slice beside
/// it that do not agree.
MachineRequest with_chip_named(MachineRequest request, const std::string& file);

/// The same of a study's /machine, or of what is merged into one: fields that are not of their type
/// stay for the schema to refuse.
void name_chip(Json& machine, const std::string& file);

/// The preset of the chip that a study's point asks for, with its overrides. Throws InputError at
/// the field's place.
topologies::Preset preset_asked_for(const MachineRequest& request, const std::string& file);

/// The machine that a study's point asks for; `file` is the study's. Throws InputError at the
/// field's place.
topologies::Machine machine_of(const MachineRequest& request, const std::string& file);

/// The machine as a report tells it.
report::PointMachine machine_told(const topologies::Machine& machine,
                                  const MachineRequest& request);

} // namespace alxsim::experiments
