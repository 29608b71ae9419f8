// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::alx {

struct FoundFormat {
    std::string format; ///< of dataset_formats()
    std::string why;    ///< what in the file's content says so; "" where its name does, or nothing
};

/// As format_of() has it.
FoundFormat found_format(const std::string& path);

/// Throws InputError for a file, said to be text, that is an archive or something else of bytes.
void refuse_binary(const std::string& path);

} // namespace alxsim::alx
