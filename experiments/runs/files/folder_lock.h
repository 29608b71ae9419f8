// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::experiments {

/// While it lives, no other process of this program writes results into a folder. The lock goes
/// with the process, however that ends, and leaves no file.
class FolderLock {
public:
    /// The folder is there. Throws InputError, naming `option`, if another process has it.
    FolderLock(const std::string& folder, const std::string& option);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int descriptor_ = -1;
};

} // namespace alxsim::experiments
