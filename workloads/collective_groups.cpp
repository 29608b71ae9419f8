// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective_groups.h"

#include "base/input_error.h"
#include "model/collectives/mesh.h"
#include "model/graph/collective_json.h"
#include "model/graph/for_each_op.h"

#include <algorithm>

namespace alxsim::workloads {
namespace {

/// Which coordinates differ among devices: [axis of the slice], and last the place on a chip.
class Differing {
public:
    explicit Differing(const topologies::Machine& machine)
        : machine_(machine),
          differ_(machine.slice.axes().size() + 1, false)
    {
    }

    void add(int one, int other)
    {
        const int on_chip = machine_.devices_per_chip;
        const std::vector<int> a = machine_.slice.coordinates(one / on_chip);
        const std::vector<int> b = machine_.slice.coordinates(other / on_chip);
        for (std::size_t axis = 0; axis < a.size(); ++axis) {
            differ_[axis] = differ_[axis] || a[axis] != b[axis];
        }
        differ_.back() = differ_.back() || one % on_chip != other % on_chip;
    }
    std::string words() const
    {
        std::vector<std::string> names;
        for (std::size_t axis = 0; axis + 1 < differ_.size(); ++axis) {
            if (differ_[axis]) {
                names.push_back(machine_.slice.axis_name(static_cast<int>(axis)));
            }
        }
        return names.empty() ? "chip" : join(names, "+");
    }
    /// So many devices differ in these coordinates alone.
    std::size_t devices() const
    {
        std::size_t devices =
            differ_.back() ? static_cast<std::size_t>(machine_.devices_per_chip) : 1;
        for (std::size_t axis = 0; axis + 1 < differ_.size(); ++axis) {
            devices *=
                differ_[axis] ? static_cast<std::size_t>(machine_.slice.axes()[axis].length) : 1;
        }
        return devices;
    }

private:
    const topologies::Machine& machine_;
    std::vector<bool> differ_;
};

std::string axes_of_lists(const std::vector<std::vector<int>>& lists,
                          const topologies::Machine& machine)
{
    Differing differing(machine);
    for (const std::vector<int>& list : lists) {
        for (const int device : list) {
            differing.add(list.front(), device);
        }
    }
    const bool whole = lists.empty() || lists.front().size() == differing.devices();
    return (whole ? "" : "part of ") + differing.words();
}

} // namespace

std::string axes_in_words(const model::Collective& asked, const topologies::Machine& machine)
{
    const model::Collective collective = model::on_network(asked, machine);
    if (collective.messages) {
        Differing differing(machine);
        for (const model::PairMessage& message : *collective.messages) {
            differing.add(message.source, message.destination);
        }
        return differing.words();
    }
    if (collective.ranks) {
        return axes_of_lists(*collective.ranks, machine);
    }
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < machine.slice.axes().size(); ++axis) {
        const std::string name = machine.slice.axis_name(static_cast<int>(axis));
        const bool named = std::find(collective.group.begin(), collective.group.end(), name) !=
                           collective.group.end();
        if (named || (collective.group.empty() && machine.slice.axes()[axis].length > 1)) {
            names.push_back(name);
        }
    }
    return names.empty() ? "chip" : join(names, "+");
}

std::vector<OpGroups> groups_of_collectives(const model::OpGraph& graph,
                                            const topologies::Machine& machine)
{
    OpGroups kinds{by_collective, {}, "no collective"};
    OpGroups axes{by_axes, {}, "no collective"};
    model::for_each_op(graph, [&](const model::Op& op) {
        if (const auto* collective = std::get_if<model::Collective>(&op.work)) {
            const std::string over = axes_in_words(*collective, machine);
            kinds.of_op.emplace(op.name, model::name_of(collective->kind) + " over " + over);
            axes.of_op.emplace(op.name, over);
        }
    });
    return {kinds, axes};
}

} // namespace alxsim::workloads
