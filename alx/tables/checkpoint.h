// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/tables/row_store.h"
#include "base/json_document.h"

#include <optional>
#include <string>

namespace alxsim::alx {

/// What a training job needs to go on after an epoch as if it had never stopped is its state
/// (epochs done, quality so far, counts of the steps so far) and the numbers of its tables, which
/// go straight from memory to the file and back. `key`: which job it belongs to.
///
/// Writes the whole file beside `path`, then renames it: whenever the process dies, the old one or
/// the new one is there. Throws std::runtime_error if it cannot.
void write_checkpoint(const std::string& path, const Json& key, const Json& state,
                      const RowStore& rows, const RowStore& columns);

/// Fills the tables and returns the state. Nothing, and no change, if there is no file, or it
/// belongs to another job. Throws InputError for a damaged file, whose lengths or CRC-32 are wrong,
/// before it changes anything.
std::optional<Json> read_checkpoint(const std::string& path, const Json& key, RowStore& rows,
                                    RowStore& columns);

} // namespace alxsim::alx
