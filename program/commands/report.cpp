// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "program/commands/commands.h"
#include "report/csv.h"
#include "report/files.h"
#include "report/html.h"
#include "report/pictures/frame.h"
#include "report/pictures/pictures.h"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace alxsim::program {
namespace {

bool ends_with(const std::string& text, const std::string& ending)
{
    return text.size() >= ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

struct ReportOptions {
    std::string path;
    std::string output;
    std::vector<std::string> series;
    std::string picture = "scaling";
    std::vector<std::string> columns;
    bool compact = false;
    bool draws = false;
    bool absolute = false;
};

std::string picture_of(const report::Report& report, const ReportOptions& options)
{
    if (options.picture == "scaling") {
        return report::scaling_picture(report, options.series);
    }
    if (options.series.size() != 1 && report.series.size() != 1) {
        throw InputError("--picture", options.picture,
                         "shows one series; --series says which, of: " +
                             join(report::series_names(report)));
    }
    return report::parts_picture(
        report, options.series.empty() ? report.series[0].name : options.series[0],
        options.picture == "phases" ? report::Parts::phases : report::Parts::resources,
        options.absolute ? report::Bars::seconds : report::Bars::shares);
}

std::string converted(const report::Report& report, const std::string& output,
                      const ReportOptions& options)
{
    if (ends_with(output, ".json")) {
        return report::json_text(report,
                                 options.compact ? report::Form::compact : report::Form::full);
    }
    if (ends_with(output, ".html")) {
        return report::html_page(report);
    }
    return ends_with(output, ".csv") ? report::points_csv(report) : picture_of(report, options);
}

/// Names that the report does not have, and series that nobody reads: a picture alone does.
void check_series(const report::Report& report, const ReportOptions& options)
{
    const std::vector<std::string> names = report::series_names(report);
    for (const std::string& name : options.series) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            throw InputError("--series", name,
                             "is no series of the report; allowed: " + join(names) +
                                 did_you_mean(name, names));
        }
    }
    if (!options.series.empty() &&
        (!options.columns.empty() || !ends_with(options.output, ".svg"))) {
        throw InputError("--series", options.series.front(),
                         "is of pictures; allowed with -o NAME.svg");
    }
}

/// Prints the draws of all points, or writes them into a file that the options name.
int tell_draws(const ReportOptions& options)
{
    if (!options.columns.empty() || options.compact || !options.series.empty()) {
        throw InputError("--draws", "", "allowed alone, or with -o NAME.csv");
    }
    if (!options.output.empty() && !ends_with(options.output, ".csv")) {
        throw InputError("--output", options.output,
                         "with --draws, allowed: a name that ends in .csv");
    }
    const report::Report report = report::load_report(options.path);
    if (std::none_of(report.points.begin(), report.points.end(), [](const report::Point& point) {
            return point.result && point.result->drawn;
        })) {
        throw InputError(options.path, "/points",
                         "has no draws; allowed: a report with a point whose time is uncertain");
    }
    if (options.output.empty()) {
        std::cout << report::draws_csv(report);
        return 0;
    }
    write_file_atomically(options.output, report::draws_csv(report));
    std::cout << "Wrote " << options.output << "\n";
    return 0;
}

int convert_report(const ReportOptions& options)
{
    if (options.draws) {
        return tell_draws(options);
    }
    if (options.absolute && (options.picture == "scaling" || !ends_with(options.output, ".svg"))) {
        throw InputError("--absolute", "",
                         "allowed with -o NAME.svg and --picture phases or resources");
    }
    if (options.compact && (!options.columns.empty() || !ends_with(options.output, ".json"))) {
        throw InputError("--compact", "", "allowed with -o NAME.json");
    }
    if (!options.columns.empty()) {
        const report::Report report = report::load_report(options.path);
        check_series(report, options);
        std::cout << report::points_table(report, options.columns);
        return 0;
    }
    const std::string output = options.output.empty() ? "report.html" : options.output;
    const char* const endings[] = {".html", ".csv", ".svg", ".json"};
    if (std::none_of(std::begin(endings), std::end(endings),
                     [&](const char* ending) { return ends_with(output, ending); })) {
        throw InputError("--output", output,
                         "allowed: a name that ends in .html, .csv, .svg or .json");
    }
    const report::Report report = report::load_report(options.path);
    check_series(report, options);
    write_file_atomically(output, converted(report, output, options));
    std::cout << "Wrote " << output << "\n";
    return 0;
}

} // namespace

void add_report(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "report", "Makes the page, the table or a picture of a report.json, or prints columns");
    auto options = std::make_shared<ReportOptions>();
    command->add_option("REPORT", options->path, "A report.json")->required();
    command->add_option("-o,--output", options->output,
                        "page.html, table.csv, picture.svg, or report.json in the other form "
                        "(default: report.html)");
    command->add_flag(
        "--compact", options->compact,
        "With -o NAME.json: points in columns, far smaller; without it each point by itself");
    command
        ->add_option("--picture", options->picture,
                     "Of an .svg, for slides. scaling: time against cores or another swept "
                     "number, with bands and perfect scaling; phases, resources: where the time "
                     "goes, a bar for each point of one series")
        ->check(CLI::IsMember({"scaling", "phases", "resources"}))
        ->capture_default_str();
    command->add_flag(
        "--absolute", options->absolute,
        "With phases or resources: bars as long as their seconds, in place of shares");
    command->add_option("--series", options->series,
                        "Only this series in a picture; repeatable (default: all)");
    command
        ->add_option("--columns", options->columns,
                     "Prints these columns of the table instead, rounded, a line for each point: "
                     "cores,epoch_seconds,speedup")
        ->delimiter(',');
    command->add_flag("--draws", options->draws,
                      "Prints, or with -o NAME.csv writes, each draw of each point as CSV: point, "
                      "series, draw, drawn.epoch_seconds");
    command->footer(
        "\nColumns of a .csv are named as fields of a point in report.json: machine.cores, "
        "phases.solve,\nsweep./machine/cores. All times are seconds. Draw i has the same values of "
        "all uncertain inputs at\nevery point.\n\nExit codes: 0 done; 2 bad usage or bad input.\n");
    command->callback(
        [options, &action] { action = [options] { return convert_report(*options); }; });
}

} // namespace alxsim::program
