// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"
#include "base/host_pool.h"
#include "base/input_error.h"
#include "experiments/answers/compare/comparison.h"
#include "experiments/answers/explain/explain.h"
#include "experiments/points/parts/point_notes.h"
#include "program/requests/study_place.h"
#include "program/requests/study_report.h"
#include "python/extension/background.h"
#include "python/extension/parts.h"
#include "python/extension/told_report.h"
#include "python/extension/values.h"
#include "report/csv.h"
#include "report/files.h"
#include "report/html.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace alxsim::python {
namespace {

using namespace experiments;

/// A folder gets report.json, report.html and points.csv; a file what its name ends in.
void save(const ToldReport& told, const std::string& path)
{
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending.empty()) {
        program::make_folder(path, "save");
        program::write_report(told.report, path);
        return;
    }
    const report::ReportFiles files =
        report::files_of(told.report, report::Form::full, host_cores());
    const std::string* const text = ending == ".json"   ? &files.json
                                    : ending == ".html" ? &files.html
                                    : ending == ".csv"  ? &files.csv
                                                        : nullptr;
    if (text == nullptr) {
        throw InputError("save", path,
                         "found the ending " + ending +
                             "; allowed: .json, .html, .csv, or a folder");
    }
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw InputError("save", path,
                         "found no folder " + folder.string() +
                             "; allowed: a file in a folder that is there");
    }
    write_file_atomically(path, *text);
}

Explanation explanation_of(const ToldReport& told, const std::string& series)
{
    Explanation explanation;
    run_in_background([&](const Stop&) { explanation = explain(told.report, told.place, series); },
                      py::none());
    return explanation;
}

py::object compared(const ToldReport& a, const ToldReport& b, const std::string& by,
                    const std::vector<std::pair<std::string, std::string>>& series)
{
    const std::vector<std::string> names = names_of_compare_by();
    if (std::find(names.begin(), names.end(), by) == names.end()) {
        throw InputError("by", "", "found " + by + "; allowed: " + join(names));
    }
    const CompareOptions options{compare_by(by), series};
    const Comparison comparison = compare_reports(a.report, b.report, options);
    if (comparison.pairs.empty()) {
        throw InputError(why_no_pair(a.report, b.report, options));
    }
    return object_of_json(json_of(comparison.pairs));
}

} // namespace

void add_reports(py::module_& module)
{
    py::class_<ToldReport>(module, "Report")
        .def("to_dict",
             [](const ToldReport& told) { return object_of_json(report::to_json(told.report)); })
        .def("points_csv", [](const ToldReport& told) { return report::points_csv(told.report); })
        .def("draws_csv", [](const ToldReport& told) { return report::draws_csv(told.report); })
        .def("notes", [](const ToldReport& told) { return notes_in_lines(told.report.points); })
        .def("html", [](const ToldReport& told) { return report::html_page(told.report); })
        .def("save", &save, py::arg("path"), py::call_guard<py::gil_scoped_release>())
        .def(
            "explain",
            [](const ToldReport& told, const std::string& series) {
                const Explanation explanation = explanation_of(told, series);
                return py::make_tuple(document_of(explanation).text(),
                                      object_of_json(json_of(explanation)));
            },
            py::arg("series"))
        .def("compare", &compared, py::arg("other"), py::arg("by"), py::arg("series"));
    module.def(
        "load_report",
        [](const std::string& path) {
            const py::gil_scoped_release release;
            ToldReport told{report::load_report(path), {}};
            told.place = program::place_of_study(told.report, path);
            return told;
        },
        py::arg("path"));
}

} // namespace alxsim::python
