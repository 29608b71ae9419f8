// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim {

/// Whether a path stands for several: it has one of * ? {.
bool is_file_pattern(const std::string& path);

/// The files that a pattern stands for, in the order of the alphabet: `*` any letters of one name,
/// `?` one letter, `{a,b}` one of these texts, within a name or of whole names. Letters mean
/// themselves otherwise. Empty: there are none. Throws InputError for more than 10,000 on the way.
std::vector<std::string> files_like(const std::string& pattern);

} // namespace alxsim
