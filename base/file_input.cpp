// SPDX-License-Identifier: Apache-2.0
#include "base/file_input.h"

#include "base/input_error.h"
#include "base/inputs/input_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace alxsim {
namespace {

constexpr std::int64_t piece = 1 << 20;

/// What shall be read at once: of a regular file all of it, so that no memory is taken twice.
std::int64_t first_piece(const std::string& path)
{
    std::error_code no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, no_file);
    return no_file ? piece : static_cast<std::int64_t>(size) + 1;
}

} // namespace

std::string read_file(const std::string& path, std::int64_t most)
{
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path)) {
        throw InputError(path, "",
                         "cannot read this file (is the path right, and is it a readable file?)");
    }
    note_input(path);
    std::string bytes;
    for (std::int64_t next = first_piece(path); file; next = piece) {
        const std::size_t before = bytes.size();
        const std::int64_t left = most + 1 - static_cast<std::int64_t>(before);
        bytes.resize(before + static_cast<std::size_t>(std::min(next, left)));
        file.read(&bytes[before], static_cast<std::streamsize>(bytes.size() - before));
        bytes.resize(before + static_cast<std::size_t>(file.gcount()));
        if (static_cast<std::int64_t>(bytes.size()) > most) {
            throw InputError(
                path, "", "holds more than " + std::to_string(most) + " bytes, the most allowed");
        }
    }
    if (file.bad()) {
        throw InputError(path, "", "cannot be read to its end");
    }
    return bytes;
}

} // namespace alxsim
