// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"
#include "base/input_error.h"
#include "experiments/commands/commands.h"
#include "experiments/runner.h"
#include "experiments/version.h"

#include <iostream>

namespace {

using namespace alxsim::experiments;

constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_interrupted = 130; ///< as shells count a Ctrl-C

const char* const about =
    "alxsim runs the ALX matrix factorization on a simulated TPU slice: the real algorithm on real "
    "links,\n"
    "with the time that its steps take on TensorCores, HBM and ICI links. It finds how epoch time "
    "falls\n"
    "with cores, where the curve bends, and which part of the machine bends it.\n";

const char* const examples =
    "\nFirst steps:\n"
    "  alxsim run experiments/studies/default.json -o out    the default study; open "
    "out/report.html\n"
    "  alxsim check experiments/studies/default.json         what it would run, without running "
    "it\n"
    "  alxsim chips tpu_v3                                   a machine's numbers, each with its "
    "source\n"
    "  alxsim op '{\"work\":\"collective\",\"kind\":\"all_reduce\",\"bytes\":8388608}' --chip "
    "tpu_v3 --cores 64\n"
    "  alxsim validate                                       published figures against simulated "
    "ones\n"
    "\nExit codes: 0 done; 1 the run failed; 2 bad usage or bad input; 3 a hypothesis is refuted\n"
    "(run --strict); 130 interrupted.\n";

/// CLI11 would only say that a command is missing.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv)
{
    const std::string word = argc > 1 ? argv[1] : "-";
    std::vector<std::string> commands;
    bool known = word.empty() || word.front() == '-';
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        known = known || command->get_name() == word;
        if (!command->get_group().empty()) {
            commands.push_back(command->get_name());
        }
    }
    if (known) {
        return;
    }
    throw alxsim::InputError("no command is named '" + word + "'" +
                             alxsim::did_you_mean(word, commands) +
                             " (allowed: " + alxsim::join(commands) + ")");
}

int run(int argc, char** argv)
{
    alxsim::cpu_level(); // a wrong ALXSIM_CPU_LEVEL is refused before anything runs
    CLI::App app{about, "alxsim"};
    app.footer(examples);
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("alxsim ") + version + " (" + commit + ")");
    app.get_formatter()->column_width(34);
    Action action;
    for (auto add :
         {add_run, add_check, add_op, add_chips, add_report, add_compare, add_explain, add_advise,
          add_infer, add_validate, add_calibrate, add_dataset, add_point, add_manual}) {
        add(app, action);
    }
    refuse_unknown_command(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        std::cerr << "alxsim: " << error.what()
                  << "\nRun 'alxsim --help' or 'alxsim COMMAND --help'.\n";
        return exit_bad_input;
    }
    return action();
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const alxsim::InputError& error) {
        std::cerr << "alxsim: " << error.what() << "\n";
        return exit_bad_input;
    } catch (const Interrupted&) {
        std::cerr << "alxsim: interrupted; nothing was written over. Finished points are kept: go "
                     "on with --resume.\n";
        return exit_interrupted;
    } catch (const std::exception& error) {
        std::cerr << "alxsim: " << error.what() << "\n";
        return exit_failed;
    }
}
