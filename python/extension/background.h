// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <functional>

namespace alxsim::python {

/// Whether what runs shall end.
using Stop = std::function<bool()>;

/// Runs `work` on a thread of its own, one such work at a time in this process, while Python's
/// other threads go on. The caller's thread looks for signals meanwhile: after Ctrl-C, or whatever
/// a signal handler raises, `work` is stopped, by a StopScope and by what it is given, and what was
/// raised is raised again once it has ended. `progress` is called on the caller's thread, with a
/// line of text and whether it stays; None: nobody is told. Rethrows what `work` throws.
void run_in_background(const std::function<void(const Stop&)>& work,
                       const pybind11::object& progress);

} // namespace alxsim::python
