// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// A study file as the user wrote it, with what the command line set on top.
struct Study {
    Json document;
    std::string file; ///< for error messages; paths in the study are relative to its folder
};

/// One point of a study: a complete study of its own, without sweep and series.
struct PointSpec {
    std::string series;
    Json sweep; ///< JSON pointer -> value: what sets this point apart within its series
    Json study;
};

/// Reads and checks a study; `settings` are "/json/pointer=value" (the value JSON, or else a
/// string). Throws InputError: malformed, unknown field, wrong type, not supported yet.
Study load_study(const std::string& path, const std::vector<std::string>& settings);

/// The product over a sweep: pointer -> values becomes a list of pointer -> value, the last pointer
/// fastest.
std::vector<Json> combinations(const Json& sweep);

/// Sets JSON pointer -> value in a study and checks it again. Throws InputError.
void set_values(Study& study, const Json& values);

/// All points, series by series: the product over the sweep's pointers, the last one fastest. A
/// study without series is one series of its own name. Every point has been checked like a study.
std::vector<PointSpec> expand(const Study& study);

/// Throws InputError for a hypothesis of the study that names a series or a figure that the report
/// of these points will not have: before the run, not after.
void check_hypotheses(const Study& study, const std::vector<PointSpec>& points);

} // namespace alxsim::experiments
