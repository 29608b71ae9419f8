// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/advise.h"
#include "base/file_output.h"

#include "base/input_error.h"
#include "experiments/answers/advise/space.h"
#include "experiments/runs/processes/child_process.h"
#include "experiments/runs/processes/interrupt.h"
#include "program/commands/answer.h"
#include "program/commands/commands.h"
#include "program/requests/advise_request.h"
#include "program/requests/exit_codes.h"

namespace alxsim::program {

using namespace experiments;

namespace {

struct AdviseCommand : AdviseRequest {
    std::string write_study;
    AnswerForm form;
    bool verbose = false;
};

int run_advise(const AdviseCommand& request)
{
    AskedAdvice asked = asked_advice(request);
    const Study& study = asked.study;
    AdviseOptions& options = asked.options;
    options.executable = own_program();
    options.catch_signals = true;
    const InterruptWatch interrupts;
    const Advice advice = advise(study, options);
    tell(request.form, study.name,
         document_of(advice, request.study, asked.settings, request.verbose), json_of(advice));
    if (!request.write_study.empty()) {
        if (advice.plans.empty() || !advice.plans.front().rank) {
            throw InputError(
                "--write-study", request.write_study,
                "is not written: none of the allowed plans is possible, fits into memory and keeps "
                "the limits");
        }
        write_file_atomically(request.write_study,
                              advice.plans.front().study.document.dump(2) + "\n");
    }
    return advice.interrupted ? exit_interrupted : 0;
}

void add_outputs(CLI::App& command, AdviseCommand& request)
{
    command.add_option("-o,--output", request.form.output,
                       "Write the whole result here: FILE.json");
    command.add_option("--write-study", request.write_study,
                       "Write the best plan here as a study of its own. Put it next to STUDY if "
                       "that names data files");
    add_answer_form(command, request.form);
    command.add_flag("--verbose", request.verbose, "Say what was refused, and why");
    command.add_flag("--quiet", request.options.quiet, "No progress on stderr");
}

void add_limits(CLI::App& command, AdviseCommand& request)
{
    AdviseOptions& options = request.options;
    command
        .add_option(
            "--top", options.top,
            "Plans to simulate besides the study's own: the best, then the best with another "
            "gather, placement, ...")
        ->check(CLI::Range(1, 50))
        ->capture_default_str();
    command
        .add_option("--budget", request.budget,
                    "This host's time, in seconds or as 5min: half for the search, the rest for "
                    "simulations and bands; what is not finished then is left out")
        ->capture_default_str();
    command
        .add_option("--jobs", options.jobs, "Threads of the search, and plans simulated at once")
        ->check(CLI::Range(1, most_jobs))
        ->capture_default_str();
    command
        .add_option(
            "--optimise", request.objective,
            "time: of one interval, as the workload has it; cost: the dollars that it takes")
        ->check(CLI::IsMember({"time", "cost"}))
        ->capture_default_str();
    command
        .add_option("--choices", options.choices,
                    "All that may change, gather,scatter,... (default: everything): " +
                        join(choice_names()))
        ->delimiter(',');
    CLI::Option* const cores =
        command
            .add_option("--cores", options.cores,
                        "Core counts to choose among, 64,128,256; the study's own plan is then "
                        "compared with, whatever its count (default: those of the study's sweep, "
                        "and its own)")
            ->delimiter(',')
            ->check(CLI::Range(1, 1 << 24));
    command
        .add_option("--chips", options.chips,
                    "Chips to choose among, tpu_v3,v5e,v5p-128: names, also with a size, or paths "
                    "of such files; the study's own plan is then compared with, whatever its chip "
                    "(default: the study's chip)")
        ->delimiter(',');
    command.add_flag("--any-slice", options.any_slice,
                     "Also shapes of slices that the vendor does not list");
    command.add_option(
        "--deadline", request.deadline,
        "What an interval may take at most, in seconds or as 10min or 2h, like --optimise "
        "cost --deadline 60");
    command.add_option("--max-cost", request.max_cost,
                       "Dollars that an interval may take at most, by the presets' prices");
    command.add_flag("--table", options.table,
                     "The best plan for each chip and core count as well, by the analytic model");
    command
        .add_flag("--keep-cores", request.options.keep_cores,
                  "The study's own count, whatever it sweeps")
        ->excludes(cores);
}

const char* const about_advice =
    "\nThe study's own point (its sweep and series do not count) is the plan to beat. "
    "Overrides, data,\ndim, solver, dtypes and semantics stay, and the chip without --chips. "
    "Chosen are gather, scatter, "
    "statistics, placement, overlap,\nthe torus axes that rows and embedding columns are spread "
    "over, the slice's shape and the batches of\nboth halves. Slices are those that the vendor "
    "lists; a count that it does not list has the one that the cores get,\nmarked with *.\n"
    "\nThe search goes by closed forms: first each single change of the study's own plan, then "
    "pairs "
    "of those\nthat save most, then a block coordinate descent from the best of each kind of "
    "plan; where steps differ,\nsome stand for all. Simulated\n(fidelity sampled, no numbers) and "
    "ranked by that time are then the study's "
    "own plan, the best one, and\nthe best that decides one choice differently: another gather, "
    "another placement and so on, without changes that bring less\nthan a thousandth. A plan that "
    "does not fit into HBM is left out. If neither "
    "search nor simulations are cut by the budget, the same study\ngives the same table. When the "
    "budget is over, or on Ctrl-C, it ends within a second with what is finished.\n"
    "\nLike: alxsim advise study.json --set /machine/cores=256 --keep-cores\n"
    "      alxsim advise study.json --cores 64,128,256 --optimise cost -o advice.json\n"
    "      alxsim advise study.json --chips tpu_v3,tpu_v5e --optimise cost --deadline 10min "
    "--table\n"
    "      alxsim advise study.json --like out/report.json\n"
    "      alxsim advise study.json --set /machine/overrides/ici_link_bw_oneway=3.5e10 "
    "--write-study best.json\n"
    "      alxsim advise study.json --choices gather,scatter,overlap   # nothing else changes\n"
    "\nExit codes: 0 done; 2 bad usage or bad input; 130 interrupted, after what was found is "
    "printed.\n";

} // namespace

void add_advise(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "advise", "Searches sharding, slice and batches for a faster plan, and simulates the best");
    auto request = std::make_shared<AdviseCommand>();
    command->add_option("STUDY", request->study, "The study file (JSON, comments allowed)")
        ->required();
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study first; repeatable")
        ->allow_extra_args(false);
    command->add_option("--series", request->options.series,
                        "Advise on this series of the study (default: on its own values)");
    command->add_option("--like", request->like,
                        "A finished report of the same job with numbers: CG iterations as it "
                        "counted them, not as assumed");
    add_given(*command, request->given, "bands, and in how many draws a plan is the best");
    add_outputs(*command, *request);
    add_limits(*command, *request);
    command->footer(about_advice);
    command->callback([request, &action] { action = [request] { return run_advise(*request); }; });
}

} // namespace alxsim::program
