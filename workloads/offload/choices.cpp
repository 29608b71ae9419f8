// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/workload.h"

#include <array>
#include <string>
#include <vector>

namespace alxsim::offload {
namespace {

using workloads::Choice;

const std::string place = "/workload/offload/";

Choice sizes(const std::string& name, int now, const std::vector<int>& values,
             const std::string& effect)
{
    Choice choice{name, {{}}};
    for (const int value : values) {
        if (value != now) {
            choice.options.push_back(
                {name + " " + std::to_string(value), {{place + name, value}}, false, effect});
        }
    }
    return choice;
}

/// Values with their effects.
Choice words(const std::string& name, const std::string& now,
             const std::vector<std::array<std::string, 2>>& values)
{
    Choice choice{name, {{}}};
    for (const auto& [value, effect] : values) {
        if (value != now) {
            choice.options.push_back({name + " " + value, {{place + name, value}}, false, effect});
        }
    }
    return choice;
}

} // namespace

workloads::Choices choices_of(const OffloadConfig& config)
{
    std::vector<std::array<std::string, 2>> schedules{{"sync", ""}};
    if (!config.clip_norm) {
        schedules.push_back(
            {"fifo", "layers are updated as their gradients arrive: the same numbers"});
        schedules.push_back({"edf", "the layers that the next forward needs first are updated "
                                    "first: the same numbers"});
    }
    schedules.push_back({"stale", "updates come one step late: this changes the training"});
    workloads::Choices choices;
    choices.list = {
        words("schedule", name_of_value(config.schedule), schedules),
        words("io", io_name(config.io),
              {{"user", "from user space, without a copy: it takes a store of that kind"},
               {"kernel", ""}}),
        sizes("prefetch", config.prefetch, {1, 2, 3, 4}, "so many layers' weights stand in HBM"),
        sizes("buffers", config.buffers, {1, 2, 4, 8, 16},
              "so many layers' optimizer state stands in host memory")};
    choices.blocks = {{"schedule", "io"}, {"prefetch", "buffers"}};
    choices.compared = {"schedule"};
    choices.by_interest = choice_names();
    return choices;
}

std::vector<std::string> choice_names()
{
    return {"schedule", "io", "prefetch", "buffers"};
}

} // namespace alxsim::offload
