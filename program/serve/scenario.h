// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"

#include <string>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// What a page asks about: one curve of a study, with other values.
struct Scenario {
    std::string series; ///< "": the first
    Settings set;       ///< in the study of that series alone, as `--set` would
};

/// {"series": name, "set": {"/json/pointer": value}}, both optional; `known`: further fields that
/// the request may have. Throws InputError.
Scenario scenario_of(const Json& request, const std::vector<std::string>& known = {});

/// The names of a study's curves: its series, or its own name if it has none.
std::vector<std::string> curve_names(const Study& study);

/// The scenario as a study of its own, with one curve, that `run` takes: no series, search,
/// hypotheses or exports. Throws InputError, as `check` would of that study.
Study study_in(const Study& study, const Scenario& scenario);

/// The same for a file in whatever folder: relative paths of files that are there are absolute.
Json portable_document(const Study& study);

/// Its points. Throws InputError where these are too many to be drawn at once.
std::vector<PointSpec> points_of(const Study& study);

} // namespace alxsim::program
