// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/folder_lock.h"

#include "base/input_error.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace alxsim::experiments {

FolderLock::FolderLock(const std::string& folder, const std::string& option)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
{
    // Some file systems know no locks: there nobody is kept out.
    if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(descriptor_);
        throw InputError(option, folder,
                         "another run of alxsim writes there; allowed: a folder of its own, or "
                         "wait until that one is over");
    }
}

FolderLock::~FolderLock()
{
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

} // namespace alxsim::experiments
