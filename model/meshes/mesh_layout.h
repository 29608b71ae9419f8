// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/group_box.h"
#include "model/graph/work.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

/// What an axis of a mesh has of an axis of the slice: `length` places, each `spacing` further than
/// the one before.
struct MeshPart {
    static constexpr int on_chip = -1;

    int axis = on_chip; ///< index into Slice::axes(), or the devices of a chip
    int length = 1;
    int spacing = 1;
};

/// Where the axes of a mesh lie on a slice: [axis of the mesh], of each the slowest part first.
using MeshLayout = std::vector<std::vector<MeshPart>>;

/// Calls `visit` for the ways to deal the slice's axes to those of the mesh, whole or cut into
/// parts that divide them, those of large parts first. The axis between slices and the devices of a
/// chip are dealt like others. After `most` ways the rest are left out.
void for_layouts(const Mesh& mesh, const topologies::Machine& machine, std::int64_t most,
                 const std::function<void(const MeshLayout&)>& visit);

/// [place of the mesh, row by row]: the device that stands there.
std::vector<int> devices_of(const Mesh& mesh, const MeshLayout& layout,
                            const topologies::Machine& machine);

/// The groups along some axes of the mesh; nothing if they are no boxes, or pass the wraps of a
/// twisted torus. `spans`: [axis of the mesh].
std::optional<GroupBox> box_along(const MeshLayout& layout, const std::vector<bool>& spans,
                                  const topologies::Machine& machine);

/// "x", "y, z", "4 of x", "2 of x at a distance of 4", "chip": where the groups along an axis of a
/// mesh stand. "scattered": they are no boxes; "": they are of one device.
std::string place_in_words(const Mesh& mesh, const std::string& axis,
                           const topologies::Machine& machine);
std::string place_in_words(const GroupBox& box, const topologies::Machine& machine);

} // namespace alxsim::model
