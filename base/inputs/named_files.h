// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace alxsim {

/// The files that may be read for somebody who is not trusted with all others: those that a file
/// of the user's names, and what these name in turn.
class NamedFiles {
public:
    /// `names`: as `naming_file` has them. Those that are no paths do no harm.
    NamedFiles(std::string naming_file, const std::vector<std::string>& names);

    bool has(const std::string& path, const std::string& naming_file) const;
    /// Throws InputError for another.
    void expect(const std::string& path, const std::string& naming_file);
    /// Throws InputError if that ever threw, whoever caught it.
    void expect_none_refused() const;

private:
    const std::string naming_file_;
    mutable std::mutex mutex_;
    std::string refusal_;         ///< the first
    std::set<std::string> files_; ///< as resolve_path() has them: no spelling is as good as another
};

/// While it lives, resolve_path() on this thread, and on those that a HostPool lends it, gives no
/// other file.
class NamedFilesScope {
public:
    /// Null: any.
    explicit NamedFilesScope(NamedFiles* files);
    ~NamedFilesScope();
    NamedFilesScope(const NamedFilesScope&) = delete;
    NamedFilesScope& operator=(const NamedFilesScope&) = delete;

private:
    NamedFiles* outer_;
};

/// Those of this thread; null: any may be read.
NamedFiles* named_files();

} // namespace alxsim
