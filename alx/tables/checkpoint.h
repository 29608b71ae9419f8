// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <optional>
#include <string>

namespace alxsim::alx {

/// What a training job needs to go on after an epoch as if it had never stopped.
struct Checkpoint {
    Json key;            ///< which job it belongs to
    Json state;          ///< epochs done, quality so far, counts of the steps so far
    std::string rows;    ///< the row table's numbers, as stored
    std::string columns; ///< likewise
};

/// Writes the whole file beside `path`, then renames it: whenever the process dies, the old one or
/// the new one is there. Throws std::runtime_error if it cannot.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Nothing if there is no file, or it belongs to another job. Throws InputError for a damaged file:
/// its lengths or its CRC-32 are wrong.
std::optional<Checkpoint> read_checkpoint(const std::string& path, const Json& key);

} // namespace alxsim::alx
