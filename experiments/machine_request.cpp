// SPDX-License-Identifier: Apache-2.0
#include "experiments/machine_request.h"

#include "base/input_error.h"
#include "base/paths.h"

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

} // namespace

std::string chip_of(const std::string& chip, const std::string& study_file)
{
    const std::filesystem::path path(chip);
    const bool is_file = path.has_parent_path() || path.extension() == ".json";
    return is_file ? resolve_path(chip, study_file) : chip;
}

topologies::Machine machine_of(const Json& study, const std::string& file)
{
    const Json& wanted = study.at("machine");
    for (const char* field : {"chip", "cores"}) {
        if (!wanted.contains(field)) {
            throw InputError(file, "/machine", std::string("missing field '") + field + "'");
        }
    }
    topologies::Preset preset =
        topologies::Preset::load(chip_of(wanted.at("chip").get<std::string>(), file));
    const Json overrides = wanted.value("overrides", Json::object());
    for (const auto& [key, value] : overrides.items()) {
        preset.override_value(key, value, file + ": /machine/overrides/" + key);
    }
    topologies::SliceRequest request;
    request.cores = wanted.at("cores").get<int>();
    request.slices = wanted.value("slices", 1);
    if (wanted.contains("slice")) {
        request.shape = wanted.at("slice").get<std::string>();
    }
    if (wanted.contains("wrap")) {
        request.wrap = wanted.at("wrap").get<std::vector<bool>>();
    }
    request.twisted = wanted.value("twisted", false);
    topologies::Machine machine = made(preset, request, file);
    if (wanted.contains("faults")) {
        machine.faults = topologies::read_faults(wanted.at("faults"), machine, file);
    }
    return machine;
}

Json machine_json(const topologies::Machine& machine, const Json& study)
{
    Json wrap = Json::array();
    for (const topologies::Axis& axis : machine.slice.ici_axes()) {
        wrap.push_back(axis.wraps);
    }
    Json json = {{"chip", machine.preset.name()},
                 {"cores", machine.cores},
                 {"devices", machine.devices},
                 {"chips", machine.slice.chips()},
                 {"slice", machine.slice.shape()},
                 {"wrap", wrap},
                 {"slice_assumed", machine.slice.assumed()}};
    if (machine.slice.slices() > 1) {
        json["slices"] = machine.slice.slices();
    }
    const Json& wanted = study.at("machine");
    if (machine.slice.assumed() && (wanted.contains("slice") || wanted.contains("wrap"))) {
        json["slice_asked"] = true;
    }
    if (machine.slice.twisted()) {
        json["twisted"] = true;
    }
    if (machine.faults.count > 0) {
        json["faults"] = machine.faults.count;
    }
    return json;
}

} // namespace alxsim::experiments
