// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/validate/validate.h"
#include "experiments/answers/validate/coverage.h"

#include "program/commands/answer.h"
#include "program/commands/commands.h"

namespace alxsim::program {

using namespace experiments;

namespace {

struct ValidateRequest {
    std::vector<std::string> rows;
    bool coverage = false;
    AnswerForm form;
};

int run_validate(const ValidateRequest& request)
{
    const std::vector<ValidationRow> rows = load_validation(request.rows);
    if (request.coverage) {
        const Coverage coverage = coverage_of(rows);
        tell(request.form, "Coverage", document_of(coverage), json_of(coverage));
        return 0;
    }
    const Validation validation = validate(rows);
    tell(request.form, "Validation", document_of(validation), json_of(validation));
    return validation.passes() ? 0 : 1;
}

} // namespace

void add_validate(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "validate", "Holds the simulator against published, measured and peer figures");
    auto request = std::make_shared<ValidateRequest>();
    command->add_option("ROWS", request->rows,
                        "Your own files of rows (default: those that come with the program)");
    command->add_option("-o,--output", request->form.output, "Write the rows as JSON to this file");
    command->add_flag("--coverage", request->coverage,
                      "How many published times of whole jobs the bands of 50 and 90 % of the "
                      "draws hold, topic by topic (ops have no band)");
    add_answer_form(*command, request->form);
    command->footer(
        "\nEach row: a figure from a source, what the simulator says, the error "
        "simulated/reference "
        "- 1,\n"
        "and the tolerance. Ops run through SystemC, whole jobs through the analytic model.\n"
        "  predicted    no preset value was fitted to the figure\n"
        "  calibrated   one was: the row shows that the fit holds, and is no evidence\n"
        "Error statistics are over predicted amounts only, upper bounds and counts left out.\n"
        "A row that fails names the term responsible.\n"
        "\nA file of rows, checked before anything runs:\n"
        "  {\"topic\": \"my slice\", \"rows\": [{\"name\": \"all-gather of 34 MB\", \"kind\": "
        "\"predicted\",\n"
        "    \"source\": \"my profile, 2026-11-02\", \"reference\": 6.8e-4, \"unit\": \"s\", "
        "\"tolerance\": 0.1,\n"
        "    \"simulate\": {\"op\": {\"work\": \"collective\", \"kind\": \"all_gather\", "
        "\"bytes\": "
        "34000000},\n"
        "                 \"machine\": {\"chip\": \"tpu_v5e\", \"cores\": 16}, \"figure\": "
        "\"seconds\"}}]}\n"
        "\nExit code 0 if every row is within its tolerance, 1 if one is not, 2 if rows are "
        "malformed.\n");
    command->callback(
        [request, &action] { action = [request] { return run_validate(*request); }; });
}

} // namespace alxsim::program
