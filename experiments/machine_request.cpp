// SPDX-License-Identifier: Apache-2.0
#include "experiments/machine_request.h"

#include "base/input_error.h"

namespace alxsim::experiments {

topologies::Machine machine_of(const Json& study, const std::string& file)
{
    const Json& wanted = study.at("machine");
    for (const char* field : {"chip", "cores"}) {
        if (!wanted.contains(field)) {
            throw InputError(file, "/machine", std::string("missing field '") + field + "'");
        }
    }
    topologies::Preset preset = topologies::Preset::load(wanted["chip"].get<std::string>());
    const Json overrides = wanted.value("overrides", Json::object());
    for (const auto& [key, value] : overrides.items()) {
        preset.override_value(key, value, file + ": /machine/overrides/" + key);
    }
    topologies::SliceRequest request;
    request.cores = wanted["cores"].get<int>();
    if (wanted.contains("slice")) {
        request.shape = wanted["slice"].get<std::string>();
    }
    if (wanted.contains("wrap")) {
        request.wrap = wanted["wrap"].get<std::vector<bool>>();
    }
    try {
        return topologies::make_machine(preset, request);
    } catch (const InputError& error) {
        throw InputError(file, "/machine", error.what());
    }
}

Json machine_json(const topologies::Machine& machine)
{
    return {{"chip", machine.preset.name()},  {"cores", machine.cores},
            {"devices", machine.devices},     {"chips", machine.slice.chips()},
            {"slice", machine.slice.shape()}, {"slice_assumed", machine.slice.assumed()}};
}

} // namespace alxsim::experiments
