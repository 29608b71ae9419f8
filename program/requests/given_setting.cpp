// SPDX-License-Identifier: Apache-2.0
#include "program/requests/given_setting.h"

#include "base/json_document.h"

#include <filesystem>

namespace alxsim::program {

std::string given_setting(const std::string& file)
{
    return "/given=" + Json(std::filesystem::absolute(file)).dump();
}

} // namespace alxsim::program
