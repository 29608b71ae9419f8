// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"
#include "experiments/answers/infer/infer.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/runs/progress/previews.h"
#include "experiments/runs/progress/terminal_line.h"
#include "program/requests/advise_request.h"
#include "python/extension/background.h"
#include "python/extension/parts.h"
#include "python/extension/study_runs.h"
#include "python/extension/values.h"
#include "report/wording/point_words.h"

#include <pybind11/stl.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace py = pybind11;

namespace alxsim::python {
namespace {

using namespace experiments;

Study study_of_object(const py::object& document, const std::string& file)
{
    return study_of(with_whole_numbers(json_of_object(document)), file);
}

/// Lines that stay go where progress goes.
std::function<void(const std::string&)> tell_line()
{
    return
        [line = std::make_shared<TerminalLine>()](const std::string& words) { line->tell(words); };
}

/// What `options` has under `name`, if it has that.
template <class Value>
void take(const py::dict& options, const char* name, Value& into)
{
    if (options.contains(name)) {
        try {
            into = options[name].cast<Value>();
        } catch (const py::cast_error&) {
            throw InputError(name, "",
                             "found " + py::repr(options[name]).cast<std::string>() +
                                 "; allowed: a value of another type");
        }
    }
}

/// A whole number of `least` or more.
void take_count(const py::dict& options, const char* name, int least, int& into)
{
    take(options, name, into);
    if (options.contains(name) && into < least) {
        throw InputError(name, "",
                         "found " + std::to_string(into) + "; allowed: " + std::to_string(least) +
                             " or more");
    }
}

RunSettings run_settings(const py::dict& options)
{
    RunSettings settings;
    take(options, "folder", settings.folder);
    take(options, "writes", settings.writes);
    take(options, "resume", settings.resume);
    take_count(options, "jobs", 1, settings.jobs);
    take_count(options, "threads", 1, settings.threads);
    take_count(options, "retries", 0, settings.retries);
    take(options, "in_process", settings.in_process);
    take(options, "quiet", settings.quiet);
    take(options, "memory", settings.memory);
    take(options, "export", settings.export_folder);
    take(options, "trace", settings.trace_folder);
    take(options, "trace_steps", settings.trace_steps);
    return settings;
}

ToldReport run(const py::object& document, const std::string& file, const py::dict& options,
               const py::object& progress)
{
    const Study study = study_of_object(document, file);
    RunSettings settings = run_settings(options);
    ToldReport told;
    run_in_background(
        [&](const Stop& stop) {
            settings.stop = stop;
            told = run_study(study, settings, tell_line());
        },
        progress);
    return told;
}

py::object check(const py::object& document, const std::string& file)
{
    const Study study = study_of_object(document, file);
    const std::vector<PointSpec> specs = expand(study);
    Json points = Json::array();
    std::vector<std::optional<std::string>> refusals;
    const auto tell = [&](const PointSpec& spec, const Preview& preview) {
        report::Point point = preview.point;
        report::tell_no_result(point);
        refusals.push_back(point.error);
        points.push_back({{"series", spec.series},
                          {"sweep", spec.sweep.to_json()},
                          {"point", json_of(point)},
                          {"host",
                           {{"cpu_seconds", preview.host_time.count()},
                            {"memory_bytes", preview.host_memory.count()}}}});
    };
    run_in_background([&](const Stop&) { preview_all(specs, host_cores(), tell); }, py::none());
    refuse_if_all_are_refused_alike(specs, refusals);
    return object_of_json(points);
}

program::AdviseRequest advise_request(const py::dict& options)
{
    program::AdviseRequest request;
    AdviseOptions& of_search = request.options;
    take(options, "budget", request.budget);
    take(options, "deadline", request.deadline);
    take(options, "max_cost", request.max_cost);
    take(options, "optimise", request.objective);
    take(options, "like", request.like);
    take(options, "series", of_search.series);
    take(options, "choices", of_search.choices);
    take(options, "cores", of_search.cores);
    take(options, "chips", of_search.chips);
    take(options, "keep_cores", of_search.keep_cores);
    take(options, "any_slice", of_search.any_slice);
    take(options, "top", of_search.top);
    take(options, "table", of_search.table);
    take_count(options, "jobs", 1, of_search.jobs);
    take(options, "quiet", of_search.quiet);
    return request;
}

py::object told(const Advice& advice, const std::string& file)
{
    Json studies = Json::array();
    for (const Plan& plan : advice.plans) {
        studies.push_back(plan.study.document);
    }
    return py::make_tuple(document_of(advice, file, {}, false).text(),
                          object_of_json(json_of(advice)), object_of_json(studies));
}

/// After Ctrl-C, KeyboardInterrupt has what was found as `found`.
py::object advise_on(const py::object& document, const std::string& file, const py::dict& options,
                     const py::object& progress)
{
    program::AskedAdvice asked =
        program::asked_advice(advise_request(options), study_of_object(document, file), {});
    asked.options.executable = own_program();
    std::optional<Advice> advice;
    try {
        run_in_background(
            [&](const Stop& stop) {
                asked.options.stop = stop;
                advice = advise(asked.study, asked.options);
            },
            progress);
    } catch (py::error_already_set& error) {
        if (advice && error.matches(PyExc_KeyboardInterrupt)) {
            error.value().attr("found") = told(*advice, file);
        }
        throw;
    }
    return told(*advice, file);
}

/// How far it is, where progress goes.
std::function<void(const char*, double)> tell_share()
{
    return [line = std::make_shared<TerminalLine>(),
            mutex = std::make_shared<std::mutex>()](const char* what, double share) {
        const std::lock_guard<std::mutex> lock(*mutex);
        char percent[16];
        std::snprintf(percent, sizeof percent, "%3.0f %% ", 100 * share);
        line->show(percent + std::string(what));
    };
}

py::object infer_from(const py::object& document, const std::string& file,
                      const py::object& statements, const std::string& statements_file,
                      const py::dict& options, const py::object& progress)
{
    const Study study = study_of_object(document, file);
    Statements read = statements_of(with_whole_numbers(json_of_object(statements)), statements_file,
                                    single_point(study));
    std::vector<std::string> without;
    take(options, "without", without);
    leave_out(read, without);
    InferOptions settings;
    settings.jobs = host_cores();
    take(options, "draws", settings.draws);
    take(options, "seed", settings.seed);
    take(options, "discrepancy", settings.discrepancy);
    take(options, "run", settings.run);
    take(options, "jobs", settings.jobs);
    take(options, "point", settings.point);
    if (options.contains("measure")) {
        settings.measurements = options["measure"].cast<std::string>();
    }
    Inferred result;
    run_in_background(
        [&](const Stop&) {
            InferOptions told = settings;
            told.progress = tell_share(); // as long as somebody reads it
            result = infer(study, read, told);
        },
        progress);
    return py::make_tuple(document_of(result).text(), object_of_json(json_of(result)));
}

} // namespace

void add_studies(py::module_& module)
{
    module.def(
        "read_json", [](const std::string& path) { return object_of_json(load_json(path)); },
        py::arg("path"));
    module.def(
        "with_setting",
        [](const py::object& document, const std::string& file, const std::string& pointer,
           const py::object& value) {
            Json changed = json_of_object(document);
            Settings{{pointer, json_of_object(value)}}.apply_to(changed, file);
            return object_of_json(changed);
        },
        py::arg("document"), py::arg("file"), py::arg("pointer"), py::arg("value"));
    module.def(
        "plain", [](const py::object& object) { return object_of_json(json_of_object(object)); },
        py::arg("object"));
    module.def(
        "study_name",
        [](const py::object& document, const std::string& file) {
            return study_of_object(document, file).name;
        },
        py::arg("document"), py::arg("file"));
    module.def("run", &run, py::arg("document"), py::arg("file"), py::arg("options"),
               py::arg("progress"));
    module.def("check", &check, py::arg("document"), py::arg("file"));
    module.def("advise", &advise_on, py::arg("document"), py::arg("file"), py::arg("options"),
               py::arg("progress"));
    module.def("infer", &infer_from, py::arg("document"), py::arg("file"), py::arg("statements"),
               py::arg("statements_file"), py::arg("options"), py::arg("progress"));
}

} // namespace alxsim::python
