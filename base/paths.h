// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim {

/// `path` as the file that names it means it: relative to that file's folder.
std::string resolve_path(const std::string& path, const std::string& naming_file);

} // namespace alxsim
