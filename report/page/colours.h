// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim::report {

/// What a page needs to draw phases and resources in their colours (page/colours.json): `colours`
/// and colourOf(name, taken).
std::string colours_script();

/// The colour of a phase, the same wherever it is drawn: "#3b7dbd". One that is not known gets a
/// further colour by its name, and not one of `taken` as long as there are others.
std::string colour_of_phase(const std::string& name, const std::vector<std::string>& taken);

/// Returns the colour of "compute", "hbm", "communication", "host", "waiting" or "idle".
std::string colour_of_resource(const std::string& name);

} // namespace alxsim::report
