// SPDX-License-Identifier: Apache-2.0
#include "spmd/device_mesh.h"

#include <stdexcept>
#include <utility>

namespace alxsim::spmd {

DeviceMesh::DeviceMesh(model::Mesh mesh)
    : mesh_(std::make_shared<const model::Mesh>(std::move(mesh)))
{
    for (const model::MeshAxis& axis : mesh_->axes) {
        devices_ *= axis.length;
    }
}

int DeviceMesh::length(const std::string& axis) const
{
    for (const model::MeshAxis& known : mesh_->axes) {
        if (known.name == model::Name(axis)) {
            return known.length;
        }
    }
    throw std::logic_error("a mesh without an axis '" + axis + "'");
}

int DeviceMesh::position(int device, const std::string& axis) const
{
    int stride = 1;
    for (auto known = mesh_->axes.rbegin(); known != mesh_->axes.rend(); ++known) {
        if (known->name == model::Name(axis)) {
            return device / stride % known->length;
        }
        stride *= known->length;
    }
    throw std::logic_error("a mesh without an axis '" + axis + "'");
}

} // namespace alxsim::spmd
