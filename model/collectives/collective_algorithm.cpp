// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_algorithm.h"

#include "model/collectives/collective_group.h"

#include <algorithm>

namespace alxsim::model {
namespace {

const char* name_of(CollectiveEngine engine)
{
    switch (engine) {
    case CollectiveEngine::sparse_core:
        return "sparse_core";
    case CollectiveEngine::dma:
        return "dma";
    case CollectiveEngine::tensor_core:
        break;
    }
    return "tensor_core";
}

/// The rings of a colour one after the other, each once; the path on a chip lengthens its
/// neighbour.
std::vector<int> rings_of(const Colour& colour, const CollectiveSchedule& schedule)
{
    std::vector<int> axes;
    int on_chip = 1;
    for (const AxisPhase& phase : colour.phases) {
        const NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
        if (axis.torus_axis == NetworkAxis::on_chip) {
            on_chip = axis.length;
        } else if (std::find(axes.begin(), axes.end(), phase.axis) == axes.end()) {
            axes.push_back(phase.axis);
        }
    }
    std::vector<int> rings;
    std::transform(axes.begin(), axes.end(), std::back_inserter(rings), [&schedule](int axis) {
        return schedule.axes[static_cast<std::size_t>(axis)].length;
    });
    if (rings.empty()) {
        return {on_chip};
    }
    rings.front() *= on_chip;
    return rings;
}

} // namespace

CollectiveAlgorithm algorithm_of(const CollectiveSchedule& schedule)
{
    CollectiveAlgorithm algorithm = schedule.algorithm;
    if (!algorithm.rings.empty() || algorithm.phases > 0) {
        return algorithm;
    }
    if (schedule.kind == CollectiveKind::permute) {
        algorithm.name = algorithm.name.empty() ? "permute" : algorithm.name;
        return algorithm;
    }
    if (!schedule.messages.empty() || schedule.colours.empty()) {
        algorithm.name = algorithm.name.empty() ? "messages" : algorithm.name;
        return algorithm;
    }
    algorithm.colours = schedule.colours_of_first_part();
    for (int colour = 0; colour < algorithm.colours; ++colour) {
        algorithm.rings.push_back(
            rings_of(schedule.colours[static_cast<std::size_t>(colour)], schedule));
    }
    const Colour& first = schedule.colours.front();
    algorithm.directions = first.phases.empty() ? 0 : first.phases.front().directions;
    algorithm.phases = static_cast<int>(algorithm.rings.front().size());
    if (algorithm.name.empty()) {
        algorithm.name = algorithm.phases > 1 ? "nd_rings" : "ring";
    }
    return algorithm;
}

Json to_json(const CollectiveAlgorithm& algorithm)
{
    Json json{{"name", algorithm.name}};
    const auto add = [&json](const char* name, int number) {
        if (number > 0) {
            json[name] = number;
        }
    };
    add("colours", algorithm.colours);
    add("directions", algorithm.directions);
    add("phases", algorithm.phases);
    if (!algorithm.rings.empty()) {
        json["rings"] = algorithm.rings;
    }
    json["engine"] = name_of(algorithm.engine);
    return json;
}

} // namespace alxsim::model
