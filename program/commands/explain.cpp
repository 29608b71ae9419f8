// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/explain.h"

#include "program/commands/answer.h"
#include "program/commands/commands.h"
#include "program/requests/study_place.h"
#include "report/report.h"

#include <filesystem>

namespace alxsim::program {

using namespace experiments;

namespace {

struct ExplainRequest {
    std::string report;
    std::string study;
    std::string series;
    Ends ends;
    std::string given; ///< a result of infer
    AnswerForm form;
};

int explain_report(const ExplainRequest& request)
{
    report::Report report = report::load_report(request.report);
    if (!request.given.empty()) {
        report.study["given"] = std::filesystem::absolute(request.given).string();
    }
    const std::string place =
        request.study.empty() ? place_of_study(report, request.report) : request.study;
    const Explanation explanation = explain(report, place, request.series, request.ends);
    tell(request.form, report.name(), document_of(explanation), json_of(explanation));
    return 0;
}

} // namespace

void add_explain(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "explain", "Says in words which terms bend a report's curves and what would move them");
    auto request = std::make_shared<ExplainRequest>();
    command->add_option("REPORT", request->report, "A report.json")->required();
    command->add_option("--series", request->series, "Only this series (default: all)");
    command->add_option("--study", request->study,
                        "Where the study is now: data files that it names are looked for next to "
                        "it (default: where it was when it ran, else next to the report)");
    CLI::Option* const from = command->add_option(
        "--from", request->ends.from,
        "FIELD=VALUE: says what changes from the point where the sweep sets this, like "
        "microbatches=4; repeatable, where one field does not tell points apart");
    CLI::Option* const to =
        command->add_option("--to", request->ends.to, "FIELD=VALUE: to that one, likewise");
    for (CLI::Option* const option : {from, to}) {
        option->allow_extra_args(false);
        option->needs(option == from ? to : from);
    }
    add_given(*command, request->given, "bands of what each change would do");
    add_answer_form(*command, request->form);
    command->footer(
        "\nWhat does not shrink is found by fitting each phase over the core counts; why, by "
        "counting the work\nof a core in the op graphs of the report's own study; what would help, "
        "by the analytic model with one\nvalue at a time twice as good.\n");
    command->callback(
        [request, &action] { action = [request] { return explain_report(*request); }; });
}

} // namespace alxsim::program
