// SPDX-License-Identifier: Apache-2.0
#include "program/program.h"

#include "base/cpu_level.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "base/printable.h"
#include "base/work/long_work.h"
#include "base/work/stop.h"
#include "experiments/runs/progress/terminal_line.h"
#include "experiments/runs/runner.h"
#include "experiments/version.h"
#include "program/commands/commands.h"
#include "program/commands/hints.h"
#include "program/registration/commands.h"
#include "program/registration/workloads.h"
#include "program/requests/exit_codes.h"
#include "workloads/registry.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <stdexcept>

namespace alxsim::program {

using namespace experiments;

namespace {

/// What the program is for, with the kinds of workload that it has.
std::string about()
{
    std::vector<std::string> kinds;
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        kinds.push_back(kind.name);
    }
    return "alxsim runs a job on a simulated TPU slice: the real algorithm on real data, with the "
           "time that\n"
           "its steps take on TensorCores, HBM and ICI links. It finds how time falls with cores, "
           "where the\n"
           "curve bends, and which part of the machine bends it. Workloads: " +
           join(kinds) + ".\n";
}

const char* const first_steps =
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

/// Arguments come back in messages, in JSON and in reports, which are UTF-8.
void refuse_other_encodings(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        if (!is_utf8(argv[i])) {
            throw InputError("argument " + std::to_string(i), argv[i],
                             "is no UTF-8; allowed are names and values in UTF-8");
        }
    }
}

bool is_quiet(const CLI::App& app)
{
    const std::vector<CLI::App*> commands = app.get_subcommands();
    return std::any_of(commands.begin(), commands.end(), [](const CLI::App* command) {
        const CLI::Option* const quiet = command->get_option_no_throw("--quiet");
        return quiet != nullptr && quiet->count() > 0;
    });
}

int run(int argc, char** argv)
{
    refuse_other_encodings(argc, argv);
    add_workloads();
    cpu_level(); // a wrong ALXSIM_CPU_LEVEL is refused before anything runs
    CLI::App app{about(), "alxsim"};
    app.footer(first_steps);
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("alxsim ") + version + " (" + commit + ")");
    app.get_formatter()->column_width(34);
    Action action;
    for (auto add : {add_run, add_merge, add_check, add_op, add_import, add_chips, add_report,
                     add_compare, add_explain, add_advise, add_infer, add_validate, add_calibrate,
                     add_serve, add_schema, add_workload_commands, add_point, add_manual}) {
        add(app, action);
    }
    refuse_unknown_command(app, {argv + 1, argv + std::max(argc, 1)});
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) { // it was asked for help, or for the version
        action = [&app, success] { return app.exit(success); };
    } catch (const CLI::ParseError& error) {
        std::cerr << "alxsim: " << printable(error.what()) << hint_of(app)
                  << "\nRun 'alxsim --help' or 'alxsim COMMAND --help'.\n";
        return exit_bad_input;
    }
    TerminalLine line;
    const LongWorkWatch watch([&line, quiet = is_quiet(app)](const std::string& words) {
        words.empty() || quiet ? line.clear() : line.show(words);
    });
    const int code = action();
    std::cout.flush();
    if (std::fflush(stdout) != 0 || !std::cout) {
        throw std::runtime_error("cannot write to standard output");
    }
    return code;
}

/// Ends the program as the signal does, without the files that it has begun.
void end_without_litter(int signal)
{
    remove_unfinished_files();
    std::signal(signal, SIG_DFL);
    raise(signal);
}

/// Cleans up on signals that whoever started us has not told us to ignore.
void leave_no_litter()
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (std::signal(signal, end_without_litter) == SIG_IGN) {
            std::signal(signal, SIG_IGN);
        }
    }
}

int code_of_run(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const InputError& error) {
        std::cerr << "alxsim: " << error.what() << "\n";
        return exit_bad_input;
    } catch (const Interrupted&) {
        std::cerr << "alxsim: interrupted; nothing was written over. Finished points are kept: go "
                     "on with --resume.\n";
        return exit_interrupted;
    } catch (const std::bad_alloc&) {
        std::cerr << "alxsim: this needs more memory than the host gives; smaller data, dim or "
                     "batches take less\n";
        return exit_failed;
    } catch (const std::length_error&) {
        std::cerr << "alxsim: this needs more memory than any host has; smaller sizes take less\n";
        return exit_failed;
    } catch (const std::exception& error) {
        std::cerr << "alxsim: " << printable(error.what()) << "\n";
        return exit_failed;
    }
}

} // namespace

int run_program(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of ours, with its name
    leave_no_litter();
    const int code = code_of_run(argc, argv);
    if (work_is_left_running()) { // it uses what leaving main() would destroy
        std::cout.flush();
        std::fflush(nullptr);
        std::_Exit(code);
    }
    return code;
}

} // namespace alxsim::program
