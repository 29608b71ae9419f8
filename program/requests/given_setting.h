// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::program {

/// A setting of a study: its worlds are those of `file`, a result of infer.
std::string given_setting(const std::string& file);

} // namespace alxsim::program
