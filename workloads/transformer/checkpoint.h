// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// What training needs to go on after a step as if it had never stopped.
struct Checkpoint {
    std::vector<double> losses;             ///< [step]
    std::vector<std::vector<double>> state; ///< see ModelNumbers::state()
};

/// Writes the file whole or not at all: a line of JSON with `key`, sizes and a CRC-32, then the
/// numbers.
void write_checkpoint(const std::string& path, const Json& key, const Checkpoint& checkpoint);

/// Nothing if there is no file, or it belongs to another job. Throws InputError for a damaged one.
std::optional<Checkpoint> read_checkpoint(const std::string& path, const Json& key);

} // namespace alxsim::transformer
