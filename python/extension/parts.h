// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace alxsim::python {

// Each adds its part of the module.

/// InputError and what ends a run become exceptions of Python.
void add_errors(pybind11::module_& module);
/// Machines and op graphs: estimates in process, ops alone, chips.
void add_machines(pybind11::module_& module);
/// Studies: check, run, advise, infer.
void add_studies(pybind11::module_& module);
/// Reports that were run or read.
void add_reports(pybind11::module_& module);
/// The program itself, for processes that run points and for the command.
void add_program(pybind11::module_& module);

} // namespace alxsim::python
