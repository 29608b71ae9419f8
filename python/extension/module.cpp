// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/work/stop.h"
#include "experiments/runs/processes/child_process.h"
#include "experiments/runs/runner.h"
#include "experiments/version.h"
#include "program/program.h"
#include "program/registration/workloads.h"
#include "program/requests/named_schema.h"
#include "python/extension/parts.h"
#include "python/extension/values.h"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace alxsim::python {

void add_errors(py::module_&)
{
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(std::move(thrown));
        } catch (const InputError& error) {
            const py::object type = py::module_::import("alxsim._errors").attr("InputError");
            const py::object raised =
                type(error.what(), error.file(), error.place(), error.found(), error.allowed());
            PyErr_SetObject(type.ptr(), raised.ptr());
        } catch (const experiments::Interrupted&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        } catch (const Stopped&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    });
}

void add_program(py::module_& module)
{
    module.attr("version") = std::string(experiments::version);
    module.attr("commit") = std::string(experiments::commit);
    module.def(
        "run_program",
        [](std::vector<std::string> words) {
            std::vector<char*> arguments;
            for (std::string& word : words) {
                arguments.push_back(word.data());
            }
            arguments.push_back(nullptr);
            const py::gil_scoped_release release;
            return program::run_program(static_cast<int>(words.size()), arguments.data());
        },
        py::arg("words"));
    module.def(
        "be_started_as",
        [](const std::string& path, const std::vector<std::string>& arguments) {
            experiments::Program program(path);
            program.name = path;
            program.arguments = arguments;
            experiments::be_started_as(std::move(program));
        },
        py::arg("path"), py::arg("arguments"));
    module.def(
        "schema",
        [](const std::string& name) { return object_of_json(program::named_schema(name)); },
        py::arg("name"));
}

} // namespace alxsim::python

PYBIND11_MODULE(_alxsim, module)
{
    using namespace alxsim;
    program::add_workloads();
    python::add_errors(module);
    python::add_program(module);
    python::add_machines(module);
    python::add_reports(module);
    python::add_studies(module);
}
