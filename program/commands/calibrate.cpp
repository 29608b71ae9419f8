// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/calibrate.h"
#include "base/file_output.h"
#include "experiments/answers/calibrate/measured_ops.h"

#include "base/input_error.h"
#include "program/commands/answer.h"
#include "program/commands/commands.h"

namespace alxsim::program {

using namespace experiments;

namespace {

struct CalibrateRequest {
    std::string study;
    std::string measured;
    std::string trace; ///< a real profile
    std::string rows;  ///< of alxsim-measure
    std::optional<int> device;
    std::string output;
    std::vector<std::string> fit;
    std::vector<std::string> settings;
    AnswerForm form;
};

/// Fits the one kind of measurements that is given; with what it is called.
std::pair<std::string, Calibration> calibration_of(const CalibrateRequest& request)
{
    const int kinds = (request.measured.empty() ? 0 : 1) + (request.trace.empty() ? 0 : 1) +
                      (request.rows.empty() ? 0 : 1);
    if (kinds != 1 || request.study.empty() == request.rows.empty()) {
        throw InputError("calibrate", "",
                         "found " + std::to_string(kinds) +
                             " kinds of measurements (MEASURED, --trace, --rows) and " +
                             (request.study.empty() ? "no" : "a") +
                             " study; allowed: STUDY MEASURED, STUDY --trace "
                             "PROFILE, or --rows MEASUREMENTS alone");
    }
    if (!request.rows.empty()) {
        return {request.rows, calibrate(measured_rows(request.rows), request.fit)};
    }
    const Study study = load_study(request.study, request.settings);
    if (!request.trace.empty()) {
        ProfiledPoint profiled = profiled_point(study, read_profile(request.trace, request.device));
        Calibration calibration = calibrate({profiled.point}, request.fit);
        calibration.left_out = std::move(profiled.left_out);
        return {study.name, std::move(calibration)};
    }
    return {study.name, calibrate(study, request.measured, request.fit)};
}

int run_calibrate(const CalibrateRequest& request)
{
    const std::string& output = request.output;
    const std::string ending = ".json";
    if (!output.empty() &&
        (output.size() < ending.size() || output.substr(output.size() - ending.size()) != ending)) {
        throw InputError("--output", output,
                         "allowed: a name that ends in .json, as `chip` in a study wants it");
    }
    const auto [title, calibration] = calibration_of(request);
    if (!output.empty()) {
        write_file_atomically(output, calibrated_preset(calibration).dump(2) + "\n");
    }
    tell(request.form, title, document_of(calibration), json_of(calibration));
    return 0;
}

} // namespace

void add_calibrate(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "calibrate", "Fits assumed preset values to measured times, within their low and high");
    auto request = std::make_shared<CalibrateRequest>();
    command->add_option("STUDY", request->study, "Machine and workload of the measured runs");
    command->add_option("MEASURED", request->measured, "What was measured (below)");
    CLI::Option* const trace = command->add_option(
        "--trace", request->trace,
        "Instead of MEASURED: a profile of the study's program, *.trace.json.gz of "
        "JAX's profiler; each op of its median step is a measured time");
    command
        ->add_option("--device", request->device,
                     "Of --trace: N of /device:TPU:N (default: the lowest that has ops)")
        ->check(CLI::Range(0, 999999))
        ->needs(trace);
    CLI::Option* const rows = command->add_option(
        "--rows", request->rows,
        "Instead of both: measurements.json of alxsim-measure, ops by themselves");
    command->add_option("-o,--output", request->output,
                        "Write the preset with the fitted values here: PRESET.json");
    command
        ->add_option("--fit", request->fit,
                     "A preset value to fit, KEY or, between limits of your own, KEY=LOW:HIGH; "
                     "repeatable (default: all that are assumed)")
        ->allow_extra_args(false);
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study first; repeatable")
        ->excludes(rows)
        ->allow_extra_args(false);
    add_answer_form(*command, request->form);
    command->footer(
        "\nMEASURED is a list; machine and workload are merged over the study's (its sweep and "
        "series do\nnot count); times in seconds:\n"
        "  [{\"machine\": {\"cores\": 64},  \"epoch_seconds\": 310},\n"
        "   {\"machine\": {\"cores\": 256}, \"epoch_seconds\": 120, \"phases\": {\"solve\": 14}},\n"
        "   {\"machine\": {\"cores\": 8},   \"at_most\": 5400}]\n"
        "Like: alxsim calibrate study.json measured.json --fit gather_row_s --fit "
        "ici_hop_latency_s -o my_v3.json\n"
        "      alxsim run study.json --set /machine/chip=my_v3.json\n"
        "      alxsim calibrate step.json --trace real.trace.json.gz --fit dma_bw_core -o "
        "mine.json\n"
        "\nThe fit is least squares over log(model/measured), by the analytic model, from several "
        "starts. The\nreport says which values sit at an end of their band, how well the other "
        "points predict each\npoint, and which values the data cannot tell apart. Bounds "
        "(at_most) count where they are exceeded.\n"
        "More values than measured times and phases are refused (exit code 2).\n");
    command->callback(
        [request, &action] { action = [request] { return run_calibrate(*request); }; });
}

} // namespace alxsim::program
