// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Throws InputError for a setting ("/json/pointer=value") of `option` that changes no point of the
/// study: each series, or its sweep, sets that place itself, or one that it is in.
void refuse_replaced(const Study& study, const std::string& option, const std::string& setting);

/// Says what of the study is without effect where a sweep sets all overrides of a machine at once;
/// nothing where nothing is lost. `study`: the point's without its sweep.
std::vector<std::string> replaced_notes(const Json& study, const Settings& sweep);

} // namespace alxsim::experiments
