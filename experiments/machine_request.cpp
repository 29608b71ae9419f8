// SPDX-License-Identifier: Apache-2.0
#include "experiments/machine_request.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "topologies/preset_reader.h"

#include <filesystem>

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

template <class T>
const T& needed(const std::optional<T>& field, const char* name, const std::string& file)
{
    if (!field) {
        throw InputError(file, "/machine", std::string("missing field '") + name + "'");
    }
    return *field;
}

} // namespace

std::string chip_of(const std::string& chip, const std::string& study_file)
{
    const std::filesystem::path path(chip);
    const bool is_file = path.has_parent_path() || path.extension() == ".json";
    return is_file ? resolve_path(chip, study_file) : chip;
}

topologies::Machine machine_of(const MachineRequest& request, const std::string& file)
{
    const std::string& chip = needed(request.chip, "chip", file);
    const int cores = needed(request.cores, "cores", file);
    topologies::Preset preset = preset_of(chip, file);
    const std::string name = std::filesystem::path(file).filename().string();
    for (const auto& [key, value] : request.overrides) {
        const std::string pointer = ": /machine/overrides/" + key;
        preset.override_value(key, value, file + pointer, name + pointer);
    }
    check_price(preset, file);
    topologies::Machine machine = made(
        preset, {cores, request.slice, request.wrap, request.twisted, request.slices.value_or(1)},
        file);
    for (const auto& [name, axes] : request.axes) {
        machine.mesh_axes.push_back({name, axes.get<std::vector<std::string>>()});
    }
    if (request.faults) {
        machine.faults = topologies::read_faults(*request.faults, machine, file);
    }
    return machine;
}

report::PointMachine machine_told(const topologies::Machine& machine, const MachineRequest& request)
{
    report::PointMachine told;
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
