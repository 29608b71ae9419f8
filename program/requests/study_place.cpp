// SPDX-License-Identifier: Apache-2.0
#include "program/requests/study_place.h"

#include <filesystem>

namespace alxsim::program {

std::string place_of_study(const report::Report& report, const std::string& path)
{
    if (report.host.study) {
        const std::filesystem::path study =
            std::filesystem::path(path).parent_path() / *report.host.study;
        std::error_code none;
        if (std::filesystem::exists(study, none)) {
            return study.lexically_normal().string();
        }
    }
    return path;
}

} // namespace alxsim::program
