// SPDX-License-Identifier: Apache-2.0
#include "model/meshes/mesh_layout.h"

#include "model/collectives/mesh.h"

#include <algorithm>
#include <numeric>

namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::Slice;

/// An axis of the slice, or the devices of a chip, in places.
struct SliceAxis {
    int axis = MeshPart::on_chip;
    int length = 1;
};

/// As devices are counted, the slowest first: those between slices, within one, on a chip.
std::vector<SliceAxis> slice_axes(const Machine& machine)
{
    const Slice& slice = machine.slice;
    std::vector<SliceAxis> axes;
    for (int axis = 0; axis < static_cast<int>(slice.axes().size()); ++axis) {
        axes.push_back({axis, slice.axes()[static_cast<std::size_t>(axis)].length});
    }
    std::stable_sort(axes.begin(), axes.end(), [&slice](const SliceAxis& a, const SliceAxis& b) {
        return slice.stride(a.axis) > slice.stride(b.axis);
    });
    axes.push_back({MeshPart::on_chip, machine.devices_per_chip});
    return axes;
}

class Dealing {
public:
    Dealing(const Mesh& mesh, const Machine& machine, std::int64_t most,
            const std::function<void(const MeshLayout&)>& visit)
        : axes_(slice_axes(machine)),
          layout_(mesh.axes.size()),
          most_(most),
          visit_(visit)
    {
        for (const MeshAxis& axis : mesh.axes) {
            lacking_.push_back(axis.length);
        }
    }

    void run() { deal(0, axes_.front().length); }

private:
    /// The fastest `left` places of an axis, and the axes after it.
    void deal(std::size_t axis, int left)
    {
        if (most_ <= 0) {
            return;
        }
        if (left == 1) {
            if (axis + 1 < axes_.size()) {
                deal(axis + 1, axes_[axis + 1].length);
            } else {
                --most_;
                visit_(layout_);
            }
            return;
        }
        for (std::size_t to = 0; to < layout_.size(); ++to) {
            const bool has_part =
                !layout_[to].empty() && layout_[to].back().axis == axes_[axis].axis;
            // What goes to one axis of the mesh twice in a row would be one larger part.
            const int largest = has_part ? 1 : std::gcd(left, lacking_[to]);
            for (int length = largest; length > 1; --length) {
                if (largest % length == 0) {
                    deal_part(axis, left, to, length);
                }
            }
        }
    }

    void deal_part(std::size_t axis, int left, std::size_t to, int length)
    {
        layout_[to].push_back({axes_[axis].axis, length, left / length});
        lacking_[to] /= length;
        deal(axis, left / length);
        lacking_[to] *= length;
        layout_[to].pop_back();
    }

    std::vector<SliceAxis> axes_;
    MeshLayout layout_;
    std::vector<int> lacking_; ///< [axis of the mesh]: places by which it is too short yet
    std::int64_t most_;
    const std::function<void(const MeshLayout&)>& visit_;
};

/// One part that has the places of several of an axis, each `length` x `spacing` of which is the
/// spacing of another; nothing if there is none.
std::optional<MeshPart> joined(std::vector<MeshPart> parts)
{
    std::sort(parts.begin(), parts.end(),
              [](const MeshPart& a, const MeshPart& b) { return a.spacing < b.spacing; });
    MeshPart all = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].spacing != all.length * all.spacing) {
            return std::nullopt;
        }
        all.length *= parts[i].length;
    }
    return all;
}

} // namespace

void for_layouts(const Mesh& mesh, const Machine& machine, std::int64_t most,
                 const std::function<void(const MeshLayout&)>& visit)
{
    Dealing(mesh, machine, most, visit).run();
}

std::vector<int> devices_of(const Mesh& mesh, const MeshLayout& layout, const Machine& machine)
{
    // Devices from one place of a part to the next, and places of the mesh.
    struct Digit {
        int length;
        int places;
        int devices;
    };
    std::vector<Digit> digits;
    int places = 1;
    for (std::size_t axis = mesh.axes.size(); axis-- > 0;) {
        for (auto part = layout[axis].rbegin(); part != layout[axis].rend(); ++part) {
            const int chip = part->axis == MeshPart::on_chip
                                 ? 1
                                 : machine.slice.stride(part->axis) * machine.devices_per_chip;
            digits.push_back({part->length, places, part->spacing * chip});
            places *= part->length;
        }
    }
    std::vector<int> devices(static_cast<std::size_t>(places), 0);
    for (int place = 0; place < places; ++place) {
        for (const Digit& digit : digits) {
            devices[static_cast<std::size_t>(place)] +=
                place / digit.places % digit.length * digit.devices;
        }
    }
    return devices;
}

std::optional<GroupBox> box_along(const MeshLayout& layout, const std::vector<bool>& spans,
                                  const Machine& machine)
{
    const std::vector<topologies::Axis>& axes = machine.slice.axes();
    GroupBox box;
    box.whole_chips = machine.devices_per_chip == 1;
    for (int axis = MeshPart::on_chip; axis < static_cast<int>(axes.size()); ++axis) {
        std::vector<MeshPart> parts;
        for (std::size_t i = 0; i < layout.size(); ++i) {
            if (spans[i]) {
                std::copy_if(layout[i].begin(), layout[i].end(), std::back_inserter(parts),
                             [axis](const MeshPart& part) { return part.axis == axis; });
            }
        }
        if (parts.empty()) {
            continue;
        }
        const std::optional<MeshPart> part = joined(parts);
        if (!part || (axis == MeshPart::on_chip && part->length != machine.devices_per_chip)) {
            return std::nullopt;
        }
        if (axis == MeshPart::on_chip) {
            box.whole_chips = true;
            continue;
        }
        const topologies::Axis& along = axes[static_cast<std::size_t>(axis)];
        BoxSide side{axis, part->length, part->spacing, part->spacing};
        side.wraps = along.wraps && part->length * part->spacing == along.length;
        if (machine.slice.twisted() && (side.wraps || side.hops > 1)) {
            return std::nullopt;
        }
        box.sides.push_back(side);
    }
    return box;
}

std::string place_in_words(const GroupBox& box, const Machine& machine)
{
    std::string words;
    const auto add = [&words](const std::string& text) {
        words += (words.empty() ? "" : ", ") + text;
    };
    for (const BoxSide& side : box.sides) {
        const int length = machine.slice.axes()[static_cast<std::size_t>(side.axis)].length;
        const std::string name = machine.slice.axis_name(side.axis);
        add(side.length == length ? name : std::to_string(side.length) + " of " + name);
        if (side.hops > 1) {
            words += " at a distance of " + std::to_string(side.hops);
        }
    }
    if (machine.devices_per_chip > 1 && box.whole_chips) {
        add("chip");
    }
    return words;
}

std::string place_in_words(const Mesh& mesh, const std::string& axis, const Machine& machine)
{
    std::vector<std::vector<int>> groups = groups_of_mesh(mesh, {axis});
    if (groups.front().size() == 1) {
        return "";
    }
    if (groups.size() == 1) {
        return "all";
    }
    for (std::vector<int>& group : groups) {
        std::sort(group.begin(), group.end());
    }
    const std::optional<GroupBox> box = box_of(groups, machine);
    return box ? place_in_words(*box, machine) : "scattered";
}

} // namespace alxsim::model
