// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/input_files.h"

#include "base/input_error.h"
#include "base/inputs/sha256.h"
#include "base/paths.h"
#include "base/work/stop.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace alxsim {
namespace {

thread_local InputWatch* innermost = nullptr;

constexpr std::size_t piece = 1 << 16;
constexpr std::uintmax_t worth_a_thread = 1 << 18; ///< bytes

std::string short_digest(const InputFile& input)
{
    return input.sha256.empty() ? "none" : input.sha256.substr(0, 12) + "...";
}

const InputFile* find(const InputFiles& files, const std::string& path)
{
    const auto found = std::lower_bound(
        files.begin(), files.end(), path,
        [](const InputFile& one, const std::string& wanted) { return one.file < wanted; });
    return found == files.end() || found->file != path ? nullptr : &*found;
}

} // namespace

InputFile input_file(const std::string& path)
{
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) {
        return {path, "", 0};
    }
    std::ifstream file(path, std::ios::binary);
    Sha256 sum;
    std::int64_t bytes = 0;
    for (std::string next(piece, '\0'); file;) {
        look_for_stop();
        file.read(next.data(), static_cast<std::streamsize>(next.size()));
        sum.add(std::string_view(next).substr(0, static_cast<std::size_t>(file.gcount())));
        bytes += file.gcount();
    }
    return file.bad() ? InputFile{path, "", 0} : InputFile{path, sha256_hex(sum), bytes};
}

InputWatch::InputWatch() : outer_(std::exchange(innermost, this)) {}

InputWatch::~InputWatch()
{
    innermost = outer_;
}

InputFiles InputWatch::files()
{
    InputFiles all;
    for (const auto& [path, digest] : files_) {
        all.push_back(digest.get());
    }
    return all;
}

void InputWatch::note(const std::string& path)
{
    if (files_.count(path) > 0) {
        return;
    }
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(path, none);
    if (none || size < worth_a_thread) {
        note(input_file(path));
    } else { // on a thread of its own, if there is one
        const auto digest = [path, scope = stop_scope()] {
            const BorrowedStopScope borrowed(scope);
            return input_file(path);
        };
        files_[path] = std::async(std::launch::async | std::launch::deferred, digest).share();
    }
}

void InputWatch::note(const InputFile& input)
{
    std::promise<InputFile> known;
    known.set_value(input);
    files_.insert({input.file, known.get_future().share()});
}

InputWatch* input_watch()
{
    return innermost;
}

InputFiles as_named_in(InputFiles inputs, const std::string& study_file)
{
    const std::string folder = std::filesystem::path(study_file).parent_path().string();
    for (InputFile& input : inputs) {
        if (!folder.empty() && input.file.rfind(folder + "/", 0) == 0) {
            input.file.erase(0, folder.size() + 1);
        }
    }
    std::sort(inputs.begin(), inputs.end(),
              [](const InputFile& a, const InputFile& b) { return a.file < b.file; });
    return inputs;
}

InputFiles InputsNow::of(const InputFiles& inputs, const std::string& study_file)
{
    InputFiles now;
    for (const InputFile& input : inputs) {
        const std::string path = resolve_path(input.file, study_file);
        const auto known = known_.find(path);
        const InputFile& file = known != known_.end()
                                    ? known->second
                                    : known_.emplace(path, input_file(path)).first->second;
        now.push_back({input.file, file.sha256, file.bytes});
    }
    return now;
}

std::optional<ChangedInput> changed_input(const InputFiles& then, const InputFiles& now)
{
    for (const InputFile& before : then) {
        const InputFile* const after = find(now, before.file);
        if (after == nullptr) {
            return ChangedInput{before, std::nullopt};
        }
        if (before.sha256.empty() || !(before == *after)) {
            return ChangedInput{before, *after};
        }
    }
    return std::nullopt;
}

std::string in_words(const ChangedInput& changed)
{
    const InputFile& then = changed.then;
    return !changed.now          ? then.file + " is not read any more"
           : then.sha256.empty() ? then.file + " cannot be read twice"
                                 : then.file + " held other bytes (sha256 " + short_digest(then) +
                                       ", now " + short_digest(*changed.now) + ")";
}

InputFiles united(const InputFiles& some, const InputFiles& others, const std::string& why)
{
    InputFiles all = some;
    for (const InputFile& one : others) {
        const InputFile* const known = find(some, one.file);
        if (known == nullptr) {
            all.push_back(one);
        } else if (!(*known == one)) {
            throw InputError(one.file, "",
                             "held two contents (sha256 " + short_digest(*known) + " and " +
                                 short_digest(one) + "); " + why);
        }
    }
    std::sort(all.begin(), all.end(),
              [](const InputFile& a, const InputFile& b) { return a.file < b.file; });
    return all;
}

} // namespace alxsim
