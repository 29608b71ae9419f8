// SPDX-License-Identifier: Apache-2.0
#include "base/durable.h"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace alxsim {
namespace {

/// From here on one call for the file system is cheaper than one a file.
constexpr std::size_t many = 8;

template <class Sync>
void sync_at(const std::string& path, const Sync& sync)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) {
        sync(descriptor);
        close(descriptor);
    }
}

} // namespace

void sync_files(const std::vector<std::string>& paths)
{
    if (paths.empty()) {
        return;
    }
    const std::string parent = std::filesystem::path(paths.front()).parent_path().string();
    const std::string folder = parent.empty() ? "." : parent;
    if (paths.size() >= many) {
        sync_file_system(folder);
        return;
    }
    for (const std::string& path : paths) {
        sync_at(path, fsync);
    }
    sync_at(folder, fsync);
}

void sync_file_system(const std::string& folder)
{
    sync_at(folder, syncfs);
}

} // namespace alxsim
