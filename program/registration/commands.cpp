// SPDX-License-Identifier: Apache-2.0
#include "program/registration/commands.h"

#include "experiments/points/study/machine_request.h"
#include "experiments/points/study/study.h"
#include "program/dataset/commands.h"

namespace alxsim::program {

using namespace experiments;

void add_workload_commands(CLI::App& app, Action& action)
{
    add_dataset(app, action,
                {[](const std::string& file) {
                     return expand(load_study(file, {})).front().study.document;
                 },
                 [](const Json& point, const std::string& file) {
                     return machine_of(value_of_json<MachineRequest>(point.at("machine")), file);
                 }});
}

} // namespace alxsim::program
