// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim {

/// `path` as the file that names it means it: relative to that file's folder. Throws InputError
/// where it is none of the files that may be read (inputs/named_files.h).
std::string resolve_path(const std::string& path, const std::string& naming_file);

/// The same of a path that nobody is going to read.
std::string joined_path(const std::string& path, const std::string& naming_file);

} // namespace alxsim
