// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/answers/compare/compared.h"
#include "experiments/answers/compare/profile_comparison.h"
#include "program/commands/answer.h"
#include "program/commands/commands.h"
#include "program/requests/exit_codes.h"

#include <optional>
#include <utility>

namespace alxsim::program {

using namespace experiments;

namespace {

struct CompareRequest {
    std::string a;
    std::string b;
    std::string by = "sweep";
    std::vector<std::string> series;
    std::vector<std::string> fail_above; ///< "5%", "memory.bytes_per_core=2%"
    std::string trace;                   ///< a real profile
    std::optional<int> device;
    AnswerForm form;
};

std::pair<std::string, std::string> series_pair(const std::string& words)
{
    const std::size_t equals = words.find('=');
    if (equals == std::string::npos) {
        throw InputError("--series", words, "has no '='; allowed: a series of A=a series of B");
    }
    return {words.substr(0, equals), words.substr(equals + 1)};
}

/// A simulated profile against a real one.
int compare_to_profile(const CompareRequest& request)
{
    if (!request.b.empty() || !request.series.empty()) {
        throw InputError(request.b.empty() ? "--series" : "B", request.b,
                         "found with --trace; allowed: A alone, a trace that 'alxsim run' or "
                         "'alxsim op' wrote with --trace-names xprof");
    }
    const Profile simulated = read_profile(request.a);
    const Profile real = read_profile(request.trace, request.device);
    const ProfileComparison comparison = compare_profiles(simulated, real);
    tell(request.form, "Real: " + request.trace + ", simulated: " + request.a,
         document_of(comparison), json_of(comparison));
    return 0;
}

int compare(const CompareRequest& request)
{
    if (!request.trace.empty()) {
        return compare_to_profile(request);
    }
    std::vector<GateLimit> limits;
    for (const std::string& words : request.fail_above) {
        limits.push_back(gate_limit(words));
    }
    if (request.b.empty()) {
        throw InputError("B", "",
                         "found nothing; allowed: a second report.json, or --trace with a "
                         "real profile");
    }
    CompareOptions options{compare_by(request.by), {}};
    for (const std::string& words : request.series) {
        options.series.push_back(series_pair(words));
    }
    const report::Report a = report::load_report(request.a);
    const report::Report b = report::load_report(request.b);
    Compared compared{compare_reports(a, b, options), {}};
    const Comparison& comparison = compared.comparison;
    std::optional<Gate>& gate = compared.gate;
    Document words = document_of(comparison);
    if (!limits.empty() && (!comparison.pairs.empty() ||
                            (!comparison.only_a.empty() && has_common_series(a, b, options)))) {
        gate = judge(comparison, a, b, limits);
        tell_gate(words, comparison, *gate);
    }
    if (request.form.json || gate || !comparison.pairs.empty()) {
        tell(request.form, "A: " + request.a + ", B: " + request.b, words, json_of(compared));
    }
    if (comparison.pairs.empty() && !gate) {
        throw InputError(why_no_pair(a, b, options));
    }
    return gate && !gate->passed ? exit_refuted : 0;
}

} // namespace

void add_compare(CLI::App& app, Action& action)
{
    CLI::App* command =
        app.add_subcommand("compare", "Sets two reports side by side, point by point, with ratios");
    auto request = std::make_shared<CompareRequest>();
    command
        ->add_option("A", request->a,
                     "A report.json; with --trace: a simulated trace, which 'run' or 'op' wrote "
                     "with --trace-names xprof")
        ->required();
    command->add_option("B", request->b,
                        "Another one, or the same, of other series: ratios are B's time over A's");
    CLI::Option* const by =
        command
            ->add_option(
                "--by", request->by,
                "Which point of B is held against one of A: the one whose sweep set the same "
                "values; the one with as many cores, or chips; the fastest that costs no more "
                "dollars, or takes no more joules, an interval")
            ->check(CLI::IsMember(names_of_compare_by()))
            ->capture_default_str();
    command->add_option("--series", request->series,
                        "A=B: a series of A and the one of B that it is held against; repeatable "
                        "(default: those of one name, or the only ones)");
    CLI::Option* const fail_above =
        command
            ->add_option("--fail-above", request->fail_above,
                         "A percentage, like 5%: exit code 3 where a point of B takes so much "
                         "longer than A's, or where B lacks one that A has; says which. Judges "
                         "central values alone, no bands. COLUMN=2%, a column of points.csv: "
                         "where that number is so much higher; repeatable")
            ->allow_extra_args(false);
    CLI::Option* const trace = command->add_option(
        "--trace", request->trace,
        "A real profile, *.trace.json.gz of JAX's profiler: held against A op by "
        "op, its median step");
    command
        ->add_option("--device", request->device,
                     "Of --trace: N of /device:TPU:N (default: the lowest that has ops)")
        ->check(CLI::Range(0, 999999))
        ->needs(trace);
    trace->excludes(by);
    trace->excludes(fail_above);
    add_answer_form(*command, request->form);
    command->footer(
        "\nUnless compared by 'sweep', what is swept below /machine may differ, all else that is "
        "swept must be\nthe same. Draw i of uncertain inputs has the same values in both reports "
        "if their studies have one\nseed: then the band of the ratio itself is told. Of points "
        "whose numbers were computed, how far\napart the trained tables are is "
        "told from the sketches in both reports.\n\n"
        "Like: alxsim compare before/report.json after/report.json\n"
        "      alxsim compare main/report.json branch/report.json --fail-above 5%\n"
        "      alxsim compare main/report.json branch/report.json --fail-above 5% --fail-above "
        "memory.bytes_per_core=0%\n"
        "      alxsim compare v3/report.json v4/report.json --by chips\n"
        "      alxsim compare out/report.json out/report.json --series v3=v5e --by dollars --json\n"
        "      alxsim compare out/traces/point-0000-step.json.gz --trace real.trace.json.gz\n"
        "\nExit codes: 0 done; 2 bad usage or bad input, no point of A has one in B, or with "
        "--fail-above points of\nunlike work, interval or fidelity; 3 more than --fail-above "
        "allows, or a point is missing.\n");
    command->callback([request, &action] { action = [request] { return compare(*request); }; });
}

} // namespace alxsim::program
