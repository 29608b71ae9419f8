// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::experiments {

/// A folder of this process's own among the host's temporary ones, removed with all that is in it.
class ScratchFolder {
public:
    /// Where none can be made there is none.
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// Returns the path of a file of this name in it; "" if there is no folder.
    std::string file(const std::string& name) const;

private:
    std::string path_; ///< "": none
};

} // namespace alxsim::experiments
