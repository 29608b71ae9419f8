// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace alxsim::experiments {

ScratchFolder::ScratchFolder()
{
    std::error_code none;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(none);
    std::string path = (parent / "alxsim-XXXXXX").string();
    if (!none && mkdtemp(path.data()) != nullptr) {
        path_ = path;
    }
}

ScratchFolder::~ScratchFolder()
{
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
}

std::string ScratchFolder::file(const std::string& name) const
{
    return path_.empty() ? "" : path_ + "/" + name;
}

} // namespace alxsim::experiments
