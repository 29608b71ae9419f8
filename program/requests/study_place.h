// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>

namespace alxsim::program {

/// A file in the folder to which the data of a report's study are relative: the study, where it
/// still stands, else the report at `path`.
std::string place_of_study(const report::Report& report, const std::string& path);

} // namespace alxsim::program
