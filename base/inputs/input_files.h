// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"

#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace alxsim {

/// A file that results were computed from: results are of what it held, not of what it is called.
struct InputFile {
    std::string file;   ///< its path
    std::string sha256; ///< of all its bytes; "": they cannot be read twice, as those of a pipe
    std::int64_t bytes = 0;

    bool operator==(const InputFile& other) const
    {
        return file == other.file && sha256 == other.sha256 && bytes == other.bytes;
    }
};

template <class Fields>
void list_fields(Fields& fields, InputFile& input)
{
    fields("file", input.file, "Its path, from the study's folder.");
    fields("sha256", input.sha256,
           "Of all its bytes, as sha256sum prints it. Empty: no regular file, whose bytes cannot "
           "be read a second time.");
    fields("bytes", input.bytes, "Its size.", limits::at_least(0));
}

using InputFiles = std::vector<InputFile>; ///< by path, each once

/// What the file holds now.
InputFile input_file(const std::string& path);

/// While it lives, notes which files are read on its thread, whoever reads them. What is read below
/// another watch, only that one notes.
class InputWatch {
public:
    InputWatch();
    ~InputWatch();
    InputWatch(const InputWatch&) = delete;
    InputWatch& operator=(const InputWatch&) = delete;

    /// So far. Digests are computed beside the reading, and waited for here.
    InputFiles files();
    void note(const std::string& path);
    void note(const InputFile& input);

private:
    InputWatch* const outer_;
    std::map<std::string, std::shared_future<InputFile>> files_;
};

/// Returns the innermost watch on this thread; none where nothing is watched.
InputWatch* input_watch();

/// Called by whoever opens a file of the user's.
inline void note_input(const std::string& path)
{
    if (InputWatch* const watch = input_watch()) {
        watch->note(path);
    }
}

/// Called by whoever hands out what was made of files before.
inline void note_inputs(const InputFiles& inputs)
{
    if (InputWatch* const watch = input_watch()) {
        for (const InputFile& input : inputs) {
            watch->note(input);
        }
    }
}

/// Paths from the folder of `study_file` where they lie below it: wherever a study and its files
/// lie, its reports are the same.
InputFiles as_named_in(InputFiles inputs, const std::string& study_file);

/// A file of `then` that holds something else `now`, or is not among those.
struct ChangedInput {
    InputFile then;
    std::optional<InputFile> now;
};

/// What files hold now, each looked at once.
class InputsNow {
public:
    /// `inputs`, as the study in `study_file` names them.
    InputFiles of(const InputFiles& inputs, const std::string& study_file);

private:
    std::map<std::string, InputFile> known_; ///< by path
};

/// The first, by path; files of `now` alone are left out. Nothing if all are alike.
std::optional<ChangedInput> changed_input(const InputFiles& then, const InputFiles& now);

/// "web.mtx held other bytes (sha256 33a2c1..., now dc0d55...)".
std::string in_words(const ChangedInput& changed);

/// Unites both, each once. Throws InputError with `why` for a file that is in both with two
/// contents.
InputFiles united(const InputFiles& some, const InputFiles& others, const std::string& why);

} // namespace alxsim
