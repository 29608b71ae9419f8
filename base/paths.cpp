// SPDX-License-Identifier: Apache-2.0
#include "base/paths.h"

#include "base/inputs/named_files.h"

#include <filesystem>

namespace alxsim {

std::string resolve_path(const std::string& path, const std::string& naming_file)
{
    if (NamedFiles* const files = named_files()) {
        files->expect(path, naming_file);
    }
    return joined_path(path, naming_file);
}

std::string joined_path(const std::string& path, const std::string& naming_file)
{
    const std::filesystem::path given(path);
    return given.is_absolute()
               ? path
               : (std::filesystem::path(naming_file).parent_path() / given).string();
}

} // namespace alxsim
