// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace alxsim::program {

/// What the chosen subcommand does; its exit code.
using Action = std::function<int()>;

/// What --jobs and --threads allow: no process starts any number.
inline constexpr int most_jobs = 1024;

// Each adds its subcommand to `app` and sets `action` when it is chosen.
void add_run(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_op(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_chips(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_advise(CLI::App& app, Action& action);
void add_infer(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
/// Not for people: man pages and bash completion, made of all commands that `app` has.
void add_manual(CLI::App& app, Action& action);
/// Not for people: one point, read from stdin.
void add_point(CLI::App& app, Action& action);

/// The option --given; `what` comes from the worlds of its file.
void add_given(CLI::App& command, std::string& file, const std::string& what);

} // namespace alxsim::program
