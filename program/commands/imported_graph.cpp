// SPDX-License-Identifier: Apache-2.0
#include "program/commands/imported_graph.h"

#include "base/json_document.h"

#include <iostream>

namespace alxsim::program {
namespace {

/// Rings as --wrap has them: "true,false".
std::string wrap_words(const topologies::Machine& machine)
{
    std::string words;
    for (const topologies::Axis& axis : machine.slice.ici_axes()) {
        words += std::string(words.empty() ? "" : ",") + (axis.wraps ? "true" : "false");
    }
    return words;
}

Json study_running(const std::string& title, const std::string& graph,
                   const topologies::Machine& machine)
{
    Json of_study{{"chip", machine.preset.name()},
                  {"cores", machine.cores},
                  {"slice", machine.slice.shape()},
                  {"wrap", Json::array()}};
    for (const topologies::Axis& axis : machine.slice.ici_axes()) {
        of_study["wrap"].push_back(axis.wraps);
    }
    if (machine.slice.slices() > 1) {
        of_study["slices"] = machine.slice.slices();
    }
    return {{"study", title},
            {"numerics", false},
            {"fidelity", "analytic"},
            {"machine", std::move(of_study)},
            {"workload", {{"op_graph", graph}}}};
}

} // namespace

void print_how_to_run(const std::string& title, const std::string& graph,
                      const topologies::Machine& machine)
{
    std::cout << "Wrote " << graph << "\n  alxsim op " << graph << " --chip "
              << machine.preset.name() << " --cores " << machine.cores << " --slice "
              << machine.slice.shape() << " --wrap " << wrap_words(machine);
    if (machine.slice.slices() > 1) {
        std::cout << " --slices " << machine.slice.slices();
    }
    std::cout << "\nor as a study, for 'alxsim run':\n  "
              << study_running(title, graph, machine).dump() << "\n";
}

} // namespace alxsim::program
