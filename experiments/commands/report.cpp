// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "experiments/commands/commands.h"
#include "report/csv.h"
#include "report/html.h"

#include <iostream>

namespace alxsim::experiments {
namespace {

bool ends_with(const std::string& text, const std::string& ending)
{
    return text.size() >= ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

int convert_report(const std::string& path, const std::string& output)
{
    const bool html = ends_with(output, ".html");
    if (!html && !ends_with(output, ".csv")) {
        throw InputError("--output", output, "allowed: a name that ends in .html or .csv");
    }
    const report::Report report = report::load_report(path);
    write_file_atomically(output, html ? report::html_page(report) : report::points_csv(report));
    std::cout << "Wrote " << output << "\n";
    return 0;
}

} // namespace

void add_report(CLI::App& app, Action& action)
{
    CLI::App* command =
        app.add_subcommand("report", "Makes the page or the table of a report.json again");
    auto path = std::make_shared<std::string>();
    auto output = std::make_shared<std::string>("report.html");
    command->add_option("REPORT", *path, "A report.json")->required();
    command->add_option("-o,--output", *output, "page.html or table.csv")->capture_default_str();
    command->callback([path, output, &action] {
        action = [path, output] { return convert_report(*path, *output); };
    });
}

} // namespace alxsim::experiments
