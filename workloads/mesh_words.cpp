// SPDX-License-Identifier: Apache-2.0
#include "workloads/mesh_words.h"

#include "model/meshes/mesh_layout.h"

namespace alxsim::workloads {

MeshWords mesh_words(const model::Mesh& mesh, const topologies::Machine& machine)
{
    MeshWords told{Json::object(), Json::object(), ""};
    for (const model::MeshAxis& axis : mesh.axes) {
        const std::string& name = axis.name.text();
        const std::string place = model::place_in_words(mesh, name, machine);
        told.lengths[name] = axis.length;
        if (axis.length == 1) {
            continue;
        }
        told.words += (told.words.empty() ? "" : ", ") + name + " " + std::to_string(axis.length);
        if (!place.empty()) {
            told.axes[name] = place;
            told.words += " (" + place + ")";
        }
    }
    if (told.words.empty()) {
        told.words = "one device";
    }
    return told;
}

} // namespace alxsim::workloads
