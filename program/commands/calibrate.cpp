// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/calibrate.h"
#include "base/file_output.h"

#include "base/input_error.h"
#include "program/commands/answer.h"
#include "program/commands/commands.h"

namespace alxsim::program {

using namespace experiments;

namespace {

struct CalibrateRequest {
    std::string study;
    std::string measured;
    std::string output;
    std::vector<std::string> fit;
    std::vector<std::string> settings;
    AnswerForm form;
};

int run_calibrate(const CalibrateRequest& request)
{
    const std::string& output = request.output;
    const std::string ending = ".json";
    if (!output.empty() &&
        (output.size() < ending.size() || output.substr(output.size() - ending.size()) != ending)) {
        throw InputError("--output", output,
                         "allowed: a name that ends in .json, as `chip` in a study wants it");
    }
    const Study study = load_study(request.study, request.settings);
    const Calibration calibration = calibrate(study, request.measured, request.fit);
    if (!output.empty()) {
        write_file_atomically(output, calibrated_preset(calibration).dump(2) + "\n");
    }
    tell(request.form, study.name, document_of(calibration), json_of(calibration));
    return 0;
}

} // namespace

void add_calibrate(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "calibrate", "Fits assumed preset values to measured times, within their low and high");
    auto request = std::make_shared<CalibrateRequest>();
    command->add_option("STUDY", request->study, "Machine and workload of the measured runs")
        ->required();
    command->add_option("MEASURED", request->measured, "What was measured (below)")->required();
    command->add_option("-o,--output", request->output,
                        "Write the preset with the fitted values here: PRESET.json");
    command
        ->add_option("--fit", request->fit,
                     "A preset value to fit; repeatable (default: all that are assumed)")
        ->allow_extra_args(false);
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study first; repeatable")
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
        "\nThe fit is least squares over log(model/measured), by the analytic model, from several "
        "starts. The\nreport says which values sit at an end of their band, how well the other "
        "points predict each\npoint, and which values the data cannot tell apart. Bounds "
        "(at_most) count where they are exceeded.\n"
        "More values than measured times and phases are refused (exit code 2).\n");
    command->callback(
        [request, &action] { action = [request] { return run_calibrate(*request); }; });
}

} // namespace alxsim::program
