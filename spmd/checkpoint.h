// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::spmd {

/// Numbers of a job, where they stand in memory.
struct MemoryPart {
    char* bytes = nullptr;
    std::size_t size = 0; ///< in bytes
};

template <class Number>
MemoryPart memory_of(Number* numbers, std::size_t count)
{
    return {reinterpret_cast<char*>(numbers), count * sizeof(Number)};
}

/// What a job needs to go on after an interval as if it had never stopped: its state (intervals
/// done, metrics so far, counts) and its numbers, which go straight from memory to the file and
/// back. `key`: which job it belongs to.
///
/// Writes the whole file beside `path`, then renames it: whenever the process dies, the old one or
/// the new one is there. Throws std::runtime_error if it cannot.
void write_checkpoint(const std::string& path, const Json& key, const Json& state,
                      const std::vector<MemoryPart>& numbers);

/// Fills the numbers and returns the state. Nothing, and no change, if there is no file, or it
/// belongs to another job. Throws InputError, before it changes anything, for a damaged file, whose
/// lengths or CRC-32 are wrong, and for one of the same job with other "inputs" (InputFiles).
std::optional<Json> read_checkpoint(const std::string& path, const Json& key,
                                    const std::vector<MemoryPart>& numbers);

} // namespace alxsim::spmd
