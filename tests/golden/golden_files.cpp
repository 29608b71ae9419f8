// SPDX-License-Identifier: Apache-2.0
#include "golden_files.h"

#include <filesystem>

namespace alxsim {

std::string golden_path(const std::string& name)
{
    return std::string(ALXSIM_SHARED_DIR) + "/golden/" + name;
}

bool golden_exists(const std::string& name)
{
    return std::filesystem::exists(golden_path(name));
}

Json golden_json(const std::string& name)
{
    return load_json(golden_path(name));
}

} // namespace alxsim
