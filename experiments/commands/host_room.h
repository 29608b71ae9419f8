// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/study.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// From now on this process and its children go by `memory` ("8G") as what this host has for them;
/// "": by what is available. Throws InputError for what is no size.
void limit_host_memory(const std::string& memory);

/// How many of `jobs` points may run at once on this host, by what those with numbers will keep in
/// its memory; says so on stderr, before data are read, where that is much and not `quiet`. Throws
/// InputError for a point that alone is too large.
int points_in_host_memory(const std::vector<PointSpec>& points, int jobs, bool quiet);

} // namespace alxsim::experiments
