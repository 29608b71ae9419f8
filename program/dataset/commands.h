// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace alxsim::program {

/// What the chosen subcommand does; its exit code.
using Action = std::function<int()>;

/// How a command reads a study. Both throw InputError.
struct StudyReader {
    /// The first point of a study file: a study without sweep and series.
    std::function<Json(const std::string& file)> first_point;
    /// The machine of a point.
    std::function<topologies::Machine(const Json& point, const std::string& file)> machine;
};

/// Adds `alxsim dataset` with its subcommands.
void add_dataset(CLI::App& app, Action& action, const StudyReader& reader);
void add_dataset_batches(CLI::App& parent, Action& action, const StudyReader& reader);
void add_dataset_names(CLI::App& parent, Action& action);
void add_dataset_placements(CLI::App& parent, Action& action, const StudyReader& reader);
void add_dataset_split(CLI::App& parent, Action& action);
void add_dataset_translate(CLI::App& parent, Action& action, const StudyReader& reader);

} // namespace alxsim::program
