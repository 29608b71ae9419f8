// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/infer.h"
#include "base/file_output.h"

#include "program/commands/commands.h"
#include "report/html.h"

#include <cstdio>
#include <iostream>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace alxsim::program {

using namespace experiments;

namespace {

constexpr const char* built_in = "built-in";

struct InferRequest {
    std::string study;
    std::string statements;
    std::vector<std::string> settings;
    std::vector<std::string> without; ///< statements
    std::string output;
    std::string html;
    std::string measure; ///< a file of measurements, or built_in
    InferOptions options;
    int jobs = 0;
    bool json = false;
    bool quiet = false;
};

/// A share that is rewritten, on a terminal.
std::function<void(const char*, double)> progress_on_stderr()
{
    if (isatty(STDERR_FILENO) == 0) {
        return {};
    }
    return [mutex = std::make_shared<std::mutex>()](const char* what, double share) {
        const std::lock_guard<std::mutex> lock(*mutex);
        std::fprintf(stderr, "\r%3.0f %% %s%s", 100 * share, what, share < 1 ? "" : "\r\33[K");
    };
}

int infer_worlds(const InferRequest& request)
{
    const Study study = load_study(request.study, request.settings);
    Statements statements = read_statements(request.statements, single_point(study));
    leave_out(statements, request.without);
    InferOptions options = request.options;
    if (request.jobs > 0) {
        options.jobs = request.jobs;
    } else {
        options.jobs = std::max(1U, std::thread::hardware_concurrency());
    }
    if (!request.quiet) {
        options.progress = progress_on_stderr();
    }
    if (!request.measure.empty()) {
        options.measurements = request.measure == built_in ? "" : request.measure;
    }
    const Inferred result = infer(study, statements, options);
    const auto as_json = json_of(result);
    if (!request.output.empty()) {
        write_file_atomically(request.output, as_json.dump(1) + "\n");
    }
    if (!request.html.empty()) {
        write_file_atomically(request.html, report::inferred_page(as_json, study.name));
    }
    std::cout << (request.json ? as_json.dump(2) + "\n" : document_of(result).text());
    return 0;
}

} // namespace

void add_infer(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "infer", "Finds which values of the unknowns agree with published statements");
    auto request = std::make_shared<InferRequest>();
    InferOptions& options = request->options;
    command->add_option("STUDY", request->study, "The study whose curves are wanted")->required();
    command->add_option("STATEMENTS", request->statements, "What is known of such jobs")
        ->required();
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study first; repeatable")
        ->allow_extra_args(false);
    command
        ->add_option("--without", request->without,
                     "Leaves a statement out, to see what it does: its name, or a part that no "
                     "other's has; repeatable")
        ->allow_extra_args(false);
    command->add_option("-o,--output", request->output, "Write the whole result (JSON) there");
    command->add_option("--html", request->html, "Write a page with curves and tables there");
    command->add_option("--draws", options.draws, "Number of draws")
        ->check(CLI::Range(100, 10000000))
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of the draws")->capture_default_str();
    command
        ->add_option("--discrepancy", options.discrepancy,
                     "The model's own relative error, which widens tolerances")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    command->add_option(
        "--run", options.run,
        "The run that the study's curves belong to (default: for each curve the run that most "
        "statements about its job are about)");
    command
        ->add_option("--measure", request->measure,
                     "Rank measurements by how much they would narrow the band of --point: a file, "
                     "or without one those of experiments/statements/measurements.json")
        ->expected(0, 1)
        ->default_str(built_in);
    command->add_option("--point", options.point,
                        "SERIES@CORES, which measurements are to narrow (default: the last point "
                        "of the first series)");
    command
        ->add_option("--jobs", options.jobs, "Host threads (default: all); no result depends on it")
        ->check(CLI::PositiveNumber);
    command->add_flag("--quiet", request->quiet, "No progress on stderr");
    command->add_flag("--json", request->json, "The result as JSON instead of words");
    command->footer(
        "\nA draw is one value for each unknown: of the machine, of the code, and of each run "
        "(its "
        "batches,\nhosts and longest row). Draws in which a statement is false are rejected; what "
        "stays "
        "is what must be true.\nNothing is fitted and no preset is written.\n"
        "\nA statement: {\"name\": \"...\", \"source\": \"...\", \"run\": \"pod\",\n"
        "   \"at\": {\"machine\": {\"cores\": 256}, \"workload\": {\"dataset\": {\"webgraph\": "
        "\"sparse\"}}},\n"
        "   \"figure\": \"epoch_seconds\", \"value\": 1220, \"tolerance\": 0.05}\n"
        "or at_most, at_least, is (for \"fits\"; \"rows_fit\": no row is longer than a batch), "
        "ratio_to {at, figure};\n\"links_lost_share\" is what batches cut off; over core counts:\n"
        "   \"cores\": [16, 32, 64], \"shape\": {\"gain\": {\"first\": 1, \"at_least\": 0.5}, "
        "\"later\": {\"any\": true, \"at_most\": 0.3}}\n"
        "   or \"claim\": \"linear_then_flat\". What you measured of one op is a statement, too:\n"
        "   {\"name\": \"my gather\", \"run\": \"mine\", \"op\": {\"work\": \"row_gather\", "
        "\"rows\": 1000000, \"row_bytes\": 256}, \"value\": 0.012}\n"
        "   A \"weight\" below 1 lowers a draw's weight "
        "instead "
        "of taking it out.\n"
        "experiments/statements holds what is published.\n"
        "Exit codes: 0 done, also where no draw agrees (the result then says why); 2 bad "
        "input.\n");
    command->callback(
        [request, &action] { action = [request] { return infer_worlds(*request); }; });
}

} // namespace alxsim::program
