// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/named_files.h"

#include "base/input_error.h"
#include "base/paths.h"

#include <utility>

namespace alxsim {
namespace {

thread_local NamedFiles* files_of_thread = nullptr;

} // namespace

NamedFiles::NamedFiles(std::string naming_file, const std::vector<std::string>& names)
    : naming_file_(std::move(naming_file))
{
    for (const std::string& name : names) {
        files_.insert(joined_path(name, naming_file_));
    }
}

bool NamedFiles::has(const std::string& path, const std::string& naming_file) const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool in_turn = naming_file != naming_file_ && files_.count(naming_file) > 0;
    return in_turn || files_.count(joined_path(path, naming_file)) > 0;
}

void NamedFiles::expect(const std::string& path, const std::string& naming_file)
{
    const bool allowed = has(path, naming_file);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (allowed) {
        files_.insert(joined_path(path, naming_file));
        return;
    }
    const InputError error(naming_file, "",
                           "found the file '" + path + "', which " + naming_file_ +
                               " itself does not name; allowed are files that it names, written "
                               "as there");
    refusal_ = refusal_.empty() ? error.what() : refusal_;
    throw error;
}

void NamedFiles::expect_none_refused() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!refusal_.empty()) {
        throw InputError(refusal_);
    }
}

NamedFilesScope::NamedFilesScope(NamedFiles* files) : outer_(std::exchange(files_of_thread, files))
{
}

NamedFilesScope::~NamedFilesScope()
{
    files_of_thread = outer_;
}

NamedFiles* named_files()
{
    return files_of_thread;
}

} // namespace alxsim
