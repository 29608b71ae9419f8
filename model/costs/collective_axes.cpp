// SPDX-License-Identifier: Apache-2.0
#include "model/costs/collective_axes.h"

#include "base/input_error.h"
#include "model/collectives/mesh.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;

constexpr const char* between = "+";

/// Which axes of the slice lie between devices that exchange something.
class CrossedAxes {
public:
    explicit CrossedAxes(const Machine& machine)
        : machine_(machine),
          crossed_(machine.slice.axes().size())
    {
    }

    void add(int device, int other)
    {
        const int chip = device / machine_.devices_per_chip;
        const int other_chip = other / machine_.devices_per_chip;
        if (chip == other_chip) {
            return;
        }
        for (std::size_t axis = 0; axis < crossed_.size(); ++axis) {
            crossed_[axis] = crossed_[axis] || place(chip, axis) != place(other_chip, axis);
        }
    }
    std::string name() const
    {
        std::vector<std::string> names;
        for (std::size_t axis = 0; axis < crossed_.size(); ++axis) {
            if (crossed_[axis]) {
                names.push_back(machine_.slice.axis_name(static_cast<int>(axis)));
            }
        }
        return names.empty() ? "chip" : join(names, between);
    }

private:
    int place(int chip, std::size_t axis) const
    {
        return chip / machine_.slice.stride(static_cast<int>(axis)) %
               machine_.slice.axes()[axis].length;
    }

    const Machine& machine_;
    std::vector<bool> crossed_;
};

std::string name_of_messages(const std::vector<PairMessage>& messages, const Machine& machine)
{
    CrossedAxes crossed(machine);
    for (const PairMessage& message : messages) {
        crossed.add(message.source, message.destination);
    }
    return crossed.name();
}

/// All groups are alike: the first one tells.
std::string name_of_ranks(const std::vector<std::vector<int>>& groups, const Machine& machine)
{
    CrossedAxes crossed(machine);
    for (std::size_t i = 1; !groups.empty() && i < groups.front().size(); ++i) {
        crossed.add(groups.front().front(), groups.front()[i]);
    }
    return crossed.name();
}

/// Names all axes of the whole machine.
std::string name_of_all(const Machine& machine)
{
    CrossedAxes crossed(machine);
    for (int chip = 1; chip < machine.slice.chips(); ++chip) {
        crossed.add(0, chip * machine.devices_per_chip);
    }
    return crossed.name();
}

bool crosses_slices(const Mesh& mesh, const std::vector<std::string>& axes, const Machine& machine)
{
    const std::optional<int> dcn = machine.slice.dcn_axis();
    if (!dcn) {
        return false;
    }
    const auto slice_of = [&](int device) {
        return device / machine.devices_per_chip / machine.slice.stride(*dcn) %
               machine.slice.slices();
    };
    const std::vector<std::vector<int>> groups = groups_of_mesh(mesh, axes);
    return std::any_of(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
        return std::any_of(group.begin(), group.end(),
                           [&](int device) { return slice_of(device) != slice_of(group.front()); });
    });
}

std::string name_on_mesh(const Mesh& mesh, std::vector<std::string> axes, const Machine& machine)
{
    if (axes.empty()) {
        for (const auto& axis : mesh.axes) {
            axes.push_back(axis.name.text());
        }
    }
    return join(axes, between) + (crosses_slices(mesh, axes, machine) ? "+dcn" : "");
}

} // namespace

int CollectiveAxes::number_of(const std::string& name)
{
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto number = static_cast<int>(found - names_.begin());
    if (found == names_.end()) {
        names_.push_back(name);
    }
    return number;
}

template <class List>
int CollectiveAxes::number_of_list(const std::shared_ptr<const List>& list,
                                   std::string (*name_of)(const List&, const Machine&),
                                   const Machine& machine)
{
    constexpr std::size_t most_lists = 4096; // those of steps that are over are not asked for again
    if (lists_.size() >= most_lists) {
        lists_.clear();
    }
    const auto [known, is_new] = lists_.try_emplace(list.get());
    if (is_new) {
        known->second = {list, number_of(name_of(*list, machine))};
    }
    return known->second.number;
}

int CollectiveAxes::number_of(const Collective& collective, const Machine& machine)
{
    if (collective.messages) {
        return number_of_list(collective.messages, name_of_messages, machine);
    }
    if (collective.ranks) {
        return number_of_list(collective.ranks, name_of_ranks, machine);
    }
    for (const Known& known : known_) {
        if (known.mesh == collective.mesh && known.group == collective.group) {
            return known.number;
        }
    }
    const int number =
        number_of(collective.mesh ? name_on_mesh(*collective.mesh, collective.group, machine)
                  : collective.group.empty() ? name_of_all(machine)
                                             : join(collective.group, between));
    known_.push_back({collective.mesh, collective.group, number});
    return number;
}

void CollectiveAxes::clear()
{
    names_.clear();
    known_.clear();
    lists_.clear();
}

} // namespace alxsim::model
