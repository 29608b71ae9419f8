// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim {

/// Returns when these files, all in one folder, and their names are on the disk, so that they
/// outlast the machine. Many at once go with one call for their whole file system. What cannot be
/// is let be: the files are there for this machine as long as it runs.
void sync_files(const std::vector<std::string>& paths);

/// The same of all files of the file system that this folder is in.
void sync_file_system(const std::string& folder);

} // namespace alxsim
