// SPDX-License-Identifier: Apache-2.0
#include "base/file_pattern.h"

#include "base/input_error.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace alxsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_spellings = 4096; ///< of the braces of a pattern
constexpr std::size_t most_found = 10000;    ///< a pattern like */*/*/* could be the whole disk

/// The pattern once for each text of its first braces; itself where it has none that close.
std::vector<std::string> first_braces_written_out(const std::string& pattern)
{
    const std::size_t open = pattern.find('{');
    const std::size_t close = open == std::string::npos ? open : pattern.find('}', open);
    if (close == std::string::npos) {
        return {pattern};
    }
    std::vector<std::string> spellings;
    for (std::size_t begin = open + 1; begin <= close;) {
        const std::size_t end = std::min(pattern.find(',', begin), close);
        spellings.push_back(pattern.substr(0, open) + pattern.substr(begin, end - begin) +
                            pattern.substr(close + 1));
        begin = end + 1;
    }
    return spellings;
}

std::vector<std::string> braces_written_out(const std::string& pattern)
{
    std::vector<std::string> all{pattern};
    for (std::size_t i = 0; i < all.size() && all.size() < most_spellings;) {
        std::vector<std::string> spellings = first_braces_written_out(all[i]);
        if (spellings.size() == 1 && spellings.front() == all[i]) {
            ++i;
            continue;
        }
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), spellings.begin(),
                   spellings.end());
    }
    return all;
}

/// Whether a name fits a pattern of letters, * and ?: back to the last star where it does not.
bool fits(std::string_view name, std::string_view pattern)
{
    std::size_t at = 0, in_pattern = 0;
    std::size_t star = std::string_view::npos, behind = 0;
    while (at < name.size()) {
        if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            behind = at;
        } else if (in_pattern < pattern.size() &&
                   (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
            ++in_pattern;
            ++at;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            at = ++behind;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

/// What of `folders` has an entry that fits one name of a pattern.
std::vector<fs::path> entries_like(const std::vector<fs::path>& folders, const std::string& name)
{
    std::vector<fs::path> found;
    for (const fs::path& folder : folders) {
        std::error_code problem;
        if (name.find_first_of("*?") == std::string::npos) {
            if (fs::exists(folder / name, problem)) {
                found.push_back(folder / name);
            }
            continue;
        }
        const fs::path listed = folder.empty() ? fs::path(".") : folder;
        for (const auto& entry : fs::directory_iterator(listed, problem)) {
            const std::string own = entry.path().filename().string();
            const bool hidden = own.front() == '.' && name.front() != '.';
            if (!hidden && fits(own, name)) {
                found.push_back(folder / own);
            }
            if (found.size() > most_found) {
                throw InputError("found more than 10000 files and folders like '" +
                                 (folder / name).string() + "'; allowed: fewer");
            }
        }
    }
    return found;
}

} // namespace

bool is_file_pattern(const std::string& path)
{
    return path.find_first_of("*?{") != std::string::npos;
}

std::vector<std::string> files_like(const std::string& pattern)
{
    std::set<std::string> files;
    for (const std::string& spelling : braces_written_out(pattern)) {
        const fs::path path(spelling);
        std::vector<fs::path> found{path.root_path()};
        for (const fs::path& name : path.relative_path()) {
            found = entries_like(found, name.string());
        }
        for (const fs::path& file : found) {
            std::error_code problem;
            if (fs::is_regular_file(file, problem)) {
                files.insert(file.string());
            }
        }
    }
    return {files.begin(), files.end()};
}

} // namespace alxsim
