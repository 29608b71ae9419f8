// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>

namespace alxsim::python {

/// A report, and a file in the folder to which the data of its study are relative.
struct ToldReport {
    report::Report report;
    std::string place;
};

} // namespace alxsim::python
