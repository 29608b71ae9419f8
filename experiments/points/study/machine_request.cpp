// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/machine_request.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "experiments/points/study/machine_id.h"
#include "topologies/chip_name.h"
#include "topologies/listed_slice.h"
#include "topologies/preset.h"
#include "topologies/preset_reader.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>

namespace alxsim::experiments {
namespace {

topologies::Machine made(const topologies::Preset& preset, const topologies::SliceRequest& request,
                         const std::string& file)
{
    try {
        return topologies::make_machine(preset, request);
    } catch (const InputError& error) {
        throw InputError(file, "/machine", error.what());
    }
}

/// Throws InputError at the study's field for a name that no preset has; a preset's file names
/// itself.
topologies::Preset preset_of(const std::string& chip, const std::string& file)
{
    const std::string name_or_path = chip_of(chip, file);
    try {
        return topologies::Preset::load(name_or_path);
    } catch (const InputError& error) {
        const bool told = std::string(error.what()).rfind(name_or_path, 0) == 0;
        throw told ? error : InputError(file, "/machine/chip", error.what());
    }
}

/// It is read when a point is done.
void check_price(const topologies::Preset& preset, const std::string& file)
{
    const char* const price = "usd_per_chip_hour";
    if (preset.has(price)) {
        try {
            topologies::PresetReader(preset).not_negative(price);
        } catch (const InputError& error) {
            throw InputError(file, "/machine", error.what());
        }
    }
}

/// The shapes that a slice of a name's size may have: that in the name, else those listed with so
/// many chips, else the one that so many cores get.
std::vector<std::string> shapes_of(const topologies::ChipName& name)
{
    if (name.shape) {
        return {*name.shape};
    }
    topologies::SliceRequest request;
    request.cores = *name.cores;
    const auto preset = topologies::Preset::load(name.preset);
    const auto usual = topologies::Slice::choose(preset, request);
    std::vector<std::string> shapes{usual.shape()};
    for (const topologies::ListedSlice& listed : topologies::listed_slices(preset)) {
        const std::string shape = topologies::shape_of(listed.axes);
        if (topologies::chips_of(listed.axes) == usual.chips() && shape != shapes.front()) {
            shapes.push_back(shape);
        }
    }
    return shapes;
}

void check_slice(const topologies::ChipName& name, const std::string& chip,
                 const std::string& slice, const std::string& file)
{
    const std::vector<std::string> shapes = shapes_of(name);
    if (std::none_of(shapes.begin(), shapes.end(), [&](const std::string& shape) {
            return topologies::same_sides(shape, slice);
        })) {
        throw InputError(file, "/machine/slice",
                         "found " + slice + " beside chip '" + chip + "', which is " +
                             join(shapes, " or ") +
                             "; allowed: that, or no slice; another shape is a chip without a "
                             "size, its cores and its slice");
    }
}

/// Those of all slices. Throws InputError for others beside the name.
int cores_of(const topologies::ChipName& name, const MachineRequest& request,
             const std::string& file)
{
    const std::int64_t cores = std::int64_t{*name.cores} * request.slices.value_or(1);
    if (cores > std::numeric_limits<int>::max()) {
        throw InputError(file, "/machine/slices",
                         "found " + std::to_string(*request.slices) + " of '" + *request.chip +
                             "'; allowed: fewer, of which no more than 2147483647 cores come");
    }
    if (request.cores && *request.cores != cores) {
        throw InputError(file, "/machine/cores",
                         "found " + std::to_string(*request.cores) + " beside chip '" +
                             *request.chip + "', which has " + std::to_string(cores) +
                             (cores == *name.cores ? "" : " in all slices") +
                             "; allowed: that, or no cores; or the chip as '" + name.preset +
                             "', with any cores");
    }
    return static_cast<int>(cores);
}

template <class T>
const T& needed(const std::optional<T>& field, const char* name, const std::string& file)
{
    if (!field) {
        throw InputError(file, "/machine", std::string("missing field '") + name + "'");
    }
    return *field;
}

/// TensorCores. Throws InputError where none are asked for, with those of the slice, if there is
/// one.
int needed_cores(const MachineRequest& request, const std::string& file)
{
    if (request.cores) {
        return *request.cores;
    }
    std::string hint;
    if (request.slice) {
        try {
            const std::string sized = *request.chip + "-" + *request.slice;
            const auto named = topologies::chip_named(sized);
            hint = named ? " (a slice " + *request.slice + " has " + std::to_string(*named->cores) +
                               " TensorCores; the chip as '" + sized + "' says both)"
                         : "";
        } catch (const InputError&) { // the slice is none: said when there are cores
        }
    }
    throw InputError(file, "/machine", "missing field 'cores'" + hint);
}

} // namespace

std::string chip_of(const std::string& chip, const std::string& study_file)
{
    return topologies::is_preset_path(chip) ? resolve_path(chip, study_file) : chip;
}

MachineRequest with_chip_named(MachineRequest request, const std::string& file)
try {
    const std::optional<topologies::ChipName> name =
        request.chip ? topologies::chip_named(*request.chip) : std::nullopt;
    if (!name) {
        return request;
    }
    if (name->has_size()) {
        const int cores = cores_of(*name, request, file);
        if (request.slice) {
            check_slice(*name, *request.chip, *request.slice, file);
        }
        request.cores = cores;
        request.slice = request.slice ? request.slice : name->shape;
    }
    request.chip = name->preset;
    return request;
} catch (const InputError& error) {
    const bool told = file.empty() || std::string(error.what()).rfind(file, 0) == 0;
    throw told ? error : InputError(file, "/machine/chip", error.what());
}

void name_chip(Json& machine, const std::string& file)
{
    const auto is = [&](const char* field, bool (Json::*of_type)() const) {
        return machine.contains(field) && (machine.at(field).*of_type)();
    };
    if (!machine.is_object() || !is("chip", &Json::is_string)) {
        return;
    }
    MachineRequest request;
    request.chip = machine.at("chip").get<std::string>();
    if (is("cores", &Json::is_number_integer)) {
        request.cores = machine.at("cores").get<int>();
    }
    if (is("slices", &Json::is_number_integer)) {
        request.slices = machine.at("slices").get<int>();
    }
    if (is("slice", &Json::is_string)) {
        request.slice = machine.at("slice").get<std::string>();
    }
    const MachineRequest named = with_chip_named(request, file);
    machine["chip"] = *named.chip;
    if (named.cores && !request.cores) {
        machine["cores"] = *named.cores;
    }
    if (named.slice && !request.slice) {
        machine["slice"] = *named.slice;
    }
}

namespace {

topologies::CompilerFlags flags_named(const std::string& name)
{
    return name == "recipe" ? topologies::CompilerFlags::recipe
           : name == "none" ? topologies::CompilerFlags::none
                            : topologies::CompilerFlags::usual;
}

} // namespace

topologies::Preset preset_asked_for(const MachineRequest& asked, const std::string& file)
{
    const MachineRequest request = with_chip_named(asked, file);
    topologies::Preset preset = preset_of(needed(request.chip, "chip", file), file);
    const std::string name = std::filesystem::path(file).filename().string();
    for (const auto& [key, value] : request.overrides) {
        const std::string pointer = ": /machine/overrides/" + key;
        preset.override_value(key, value, file + pointer, name + pointer);
    }
    check_price(preset, file);
    return preset;
}

topologies::Machine machine_of(const MachineRequest& asked, const std::string& file)
{
    const MachineRequest request = with_chip_named(asked, file);
    needed(request.chip, "chip", file);
    const int cores = needed_cores(request, file);
    topologies::Preset preset = preset_asked_for(request, file);
    topologies::Machine machine = made(
        preset, {cores, request.slice, request.wrap, request.twisted, request.slices.value_or(1)},
        file);
    machine.wrap_is_given = request.wrap.has_value();
    for (const auto& [mesh_axis, axes] : request.axes) {
        machine.mesh_axes.push_back({mesh_axis, axes.get<std::vector<std::string>>()});
    }
    if (request.schedule == "fastest") {
        machine.schedule = topologies::ScheduleChoice::fastest;
    }
    if (request.compiler_flags) {
        topologies::compile_with(flags_named(*request.compiler_flags), machine);
    }
    if (request.faults) {
        machine.faults = topologies::read_faults(*request.faults, machine, file);
    }
    return machine;
}

report::PointMachine machine_told(const topologies::Machine& machine, const MachineRequest& request)
{
    report::PointMachine told;
    told.id = machine_id(machine, request);
    told.chip = machine.preset.name();
    told.cores = machine.cores;
    told.devices = machine.devices;
    told.chips = machine.slice.chips();
    told.slice = machine.slice.shape();
    if (machine.slice.slices() > 1) {
        told.slices = machine.slice.slices();
    }
    told.wrap.emplace();
    for (const topologies::Axis& axis : machine.slice.ici_axes()) {
        told.wrap->push_back(axis.wraps);
    }
    told.slice_assumed = machine.slice.assumed();
    told.slice_asked = told.slice_assumed && (request.slice || request.wrap);
    told.twisted = machine.slice.twisted();
    if (machine.faults.count > 0) {
        told.faults = machine.faults.count;
    }
    return told;
}

} // namespace alxsim::experiments
