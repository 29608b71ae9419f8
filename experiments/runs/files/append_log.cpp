// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/append_log.h"

#include "base/durable.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace alxsim::experiments {
namespace {

constexpr mode_t of_new_logs = 0666; ///< less what the user's umask takes away

[[noreturn]] void refuse_to_write(const std::string& path)
{
    throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
}

/// All of it, in one call unless the system takes it in parts.
bool wrote_all(int descriptor, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

} // namespace

AppendLog::AppendLog(std::string path)
    : path_(std::move(path)),
      descriptor_(
          open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, of_new_logs))
{
    if (descriptor_ < 0) {
        refuse_to_write(path_);
    }
    torn_ = !ends_with_a_line();
    sync_files({path_}); // its name, too
}

AppendLog::~AppendLog()
{
    close(descriptor_);
}

void AppendLog::append(std::string_view line)
{
    std::string bytes;
    bytes.reserve(line.size() + 2);
    bytes.append(torn_ ? "\n" : "").append(line).append("\n");
    torn_ = !wrote_all(descriptor_, bytes);
    if (torn_) {
        refuse_to_write(path_);
    }
}

void AppendLog::sync()
{
    fdatasync(descriptor_);
}

bool AppendLog::ends_with_a_line() const
{
    struct stat status = {};
    char last = 0;
    return fstat(descriptor_, &status) == 0 &&
           (status.st_size == 0 ||
            (pread(descriptor_, &last, 1, status.st_size - 1) == 1 && last == '\n'));
}

} // namespace alxsim::experiments
