// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"

#include <memory>
#include <string>

namespace alxsim::spmd {

/// A grid of named axes on which the devices of an SPMD program stand. The device of place p in
/// row-major order has the number p; where each stands on the torus is decided when the program is
/// laid out (model::laid_out()).
class DeviceMesh {
public:
    explicit DeviceMesh(model::Mesh mesh);
    /// All devices along one axis.
    DeviceMesh(const std::string& axis, int devices) : DeviceMesh(model::Mesh{{axis, devices}}) {}

    int devices() const { return devices_; }
    /// How many devices a group along the axis has. Throws std::logic_error for an unknown one.
    int length(const std::string& axis) const;
    /// Where a device stands along the axis, from 0 on. Throws likewise.
    int position(int device, const std::string& axis) const;
    const std::shared_ptr<const model::Mesh>& mesh() const { return mesh_; }

private:
    std::shared_ptr<const model::Mesh> mesh_;
    int devices_ = 1;
};

} // namespace alxsim::spmd
