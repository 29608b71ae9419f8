// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/mesh_request.h"

#include "base/input_error.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using topologies::Slice;

constexpr const char* group_field = "/workload/alx/group_axes";
constexpr const char* embedding_field = "/workload/alx/embedding_axes";

/// Axes by their names, ascending.
std::vector<int> axes_of(const std::vector<std::string>& names, const char* field,
                         const Slice& slice, const std::string& file)
{
    const std::vector<std::string> known = slice.axis_names();
    std::vector<int> axes;
    for (const std::string& name : names) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            throw InputError(file, field,
                             "found \"" + name + "\" on " +
                                 (slice.slices() > 1 ? "" : "a slice of ") + slice.words() +
                                 " chips; allowed are " + join(known));
        }
        axes.push_back(static_cast<int>(found - known.begin()));
    }
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

bool contains(const std::vector<int>& axes, int axis)
{
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// The axes of each use.
struct AxisUses {
    std::vector<int> group;
    std::vector<int> embedding;
    std::vector<int> replica;
};

AxisUses uses_of(const AlxRequest& alx, const Slice& slice, const std::string& file)
{
    AxisUses uses;
    uses.embedding = axes_of(alx.embedding_axes, embedding_field, slice, file);
    if (alx.group_axes) {
        uses.group = axes_of(*alx.group_axes, group_field, slice, file);
    }
    for (int axis = 0; axis < static_cast<int>(slice.axes().size()); ++axis) {
        if (contains(uses.group, axis) && contains(uses.embedding, axis)) {
            throw InputError(
                file, embedding_field,
                "found '" + slice.axis_name(axis) +
                    "', which stands in group_axes, too; allowed are axes that do not");
        }
        if (!alx.group_axes && !contains(uses.embedding, axis)) {
            uses.group.push_back(axis);
        } else if (!contains(uses.group, axis) && !contains(uses.embedding, axis)) {
            uses.replica.push_back(axis);
        }
    }
    return uses;
}

std::vector<std::string> names_of(const std::vector<int>& axes, const Slice& slice)
{
    std::vector<std::string> names;
    for (const int axis : axes) {
        names.push_back(slice.axis_name(axis));
    }
    return names;
}

int chips_along(const std::vector<int>& axes, const Slice& slice)
{
    int chips = 1;
    for (const int axis : axes) {
        chips *= slice.axes()[static_cast<std::size_t>(axis)].length;
    }
    return chips;
}

/// Places along some axes are numbered with the last axis fastest; with the first; or with the
/// last, back and forth, so that neighbours in number are neighbours on the torus.
enum class Order { row_major, column_major, snake };

Order order_named(const std::string& name)
{
    return name == "column_major" ? Order::column_major
           : name == "snake"      ? Order::snake
                                  : Order::row_major;
}

int number_of(const std::vector<int>& coordinates, const std::vector<int>& axes, const Slice& slice,
              Order order)
{
    int number = 0;
    const auto add = [&](int axis) {
        const int length = slice.axes()[static_cast<std::size_t>(axis)].length;
        const int at = coordinates[static_cast<std::size_t>(axis)];
        const bool back = order == Order::snake && number % 2 == 1;
        number = number * length + (back ? length - 1 - at : at);
    };
    if (order == Order::column_major) {
        std::for_each(axes.rbegin(), axes.rend(), add);
    } else {
        std::for_each(axes.begin(), axes.end(), add);
    }
    return number;
}

} // namespace

DeviceMesh mesh_of(const AlxRequest& alx, const topologies::Machine& machine,
                   const std::string& file)
{
    const Slice& slice = machine.slice;
    if (!machine.mesh_axes.empty()) {
        throw InputError(file, "/machine/axes",
                         "found for an ALX job, which has no mesh; allowed: its own " +
                             std::string(group_field) + " and " + embedding_field +
                             ", which name axes of the slice");
    }
    const AxisUses uses = uses_of(alx, slice, file);
    DeviceMesh mesh(machine.devices);
    mesh.embedding_shards = chips_along(uses.embedding, slice);
    mesh.replicas = chips_along(uses.replica, slice);
    mesh.row_shards = machine.devices / mesh.embedding_shards / mesh.replicas;
    if (mesh.row_shards < mesh.devices) {
        if (slice.twisted()) {
            throw InputError(file, group_field,
                             "found a part of the axes of a twisted slice of " + slice.shape() +
                                 " chips; allowed: all, since its wraps do not stay on an axis");
        }
        mesh.row_axes = names_of(uses.group, slice);
        mesh.embedding_axes = names_of(uses.embedding, slice);
        mesh.replica_axes = names_of(uses.replica, slice);
    }
    const Order order = order_named(alx.core_order);
    for (int device = 0; device < mesh.devices; ++device) {
        const std::vector<int> at = slice.coordinates(device / machine.devices_per_chip);
        mesh.coordinates[static_cast<std::size_t>(device)] = {
            number_of(at, uses.group, slice, order) * machine.devices_per_chip +
                device % machine.devices_per_chip,
            number_of(at, uses.embedding, slice, Order::row_major),
            number_of(at, uses.replica, slice, Order::row_major)};
    }
    return mesh;
}

} // namespace alxsim::alx
