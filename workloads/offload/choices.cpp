// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/workload.h"

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

} // namespace

workloads::Choices choices_of(const OffloadConfig& config)
{
    Choice schedule{"schedule", {{}}};
    const auto add = [&](Choice& choice, const std::string& value, const std::string& effect) {
        choice.options.push_back(
            {choice.name + " " + value, {{place + choice.name, value}}, false, effect});
    };
    add(schedule, "sync", "");
    if (!config.clip_norm) {
        add(schedule, "fifo", "layers are updated as their gradients arrive: the same numbers");
        add(schedule, "edf",
            "the layers that the next forward needs first are updated first: the "
            "same numbers");
    }
    add(schedule, "stale", "updates come one step late: this changes the training");
    Choice io{"io", {{}}};
    add(io, "user", "from user space, without a copy: it takes a store of that kind");
    add(io, "kernel", "");
    workloads::Choices choices;
    choices.list = {
        schedule, io,
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
