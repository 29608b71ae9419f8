// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/machine_id.h"

#include "base/inputs/sha256.h"

namespace alxsim::experiments {
namespace {

constexpr std::size_t hash_digits = 12;

Json values_of(const topologies::Preset& preset)
{
    Json values = Json::object();
    for (const std::string& key : preset.keys()) {
        values[key] = preset.at(key).value;
    }
    return values;
}

Json slice_of(const topologies::Slice& slice)
{
    Json wraps = Json::array();
    for (const topologies::Axis& axis : slice.ici_axes()) {
        wraps.push_back(axis.wraps);
    }
    return {{"shape", slice.shape()},
            {"slices", slice.slices()},
            {"wrap", wraps},
            {"twisted", slice.twisted()}};
}

Json places_of(const std::vector<topologies::MeshAxisPlace>& axes)
{
    Json places = Json::object();
    for (const topologies::MeshAxisPlace& place : axes) {
        places[place.name] = place.axes;
    }
    return places;
}

} // namespace

std::string machine_id(const topologies::Machine& machine, const MachineRequest& request)
{
    const std::string chip = machine.preset.name();
    const std::string cores = std::to_string(machine.cores);
    const Json all{{"chip", chip},
                   {"values", values_of(machine.preset)},
                   {"slice", slice_of(machine.slice)},
                   {"cores", machine.cores},
                   {"faults", request.faults.value_or(Json::array())},
                   {"schedule", static_cast<int>(machine.schedule)},
                   {"compiler_flags", static_cast<int>(machine.compiler_flags)},
                   {"axes", places_of(machine.mesh_axes)}};
    Sha256 bytes;
    bytes.add(all.dump());
    const std::string slices =
        machine.slice.slices() > 1 ? std::to_string(machine.slice.slices()) + "x" : "";
    return chip + "-" + slices + machine.slice.shape() + "-" + cores + "-" +
           sha256_hex(bytes).substr(0, hash_digits);
}

} // namespace alxsim::experiments
