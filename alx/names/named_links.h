// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/packed_output.h"
#include "alx/names/names.h"

#include <cstdint>
#include <string>

namespace alxsim::alx {

/// Links whose rows and columns have names instead of numbers: a line each, the row's name, the
/// column's, and further fields that are ignored, parted by tabs, else commas, else blanks.
struct NamedLinks {
    Names rows;
    Names columns; ///< empty where rows and columns are the same things
    std::int64_t links = 0;
};

/// Reads them, numbers the names in the order in which they come, and writes 'row column' lines of
/// ids. Lines that begin with # or % are comments; `header`: the first other line names the fields.
/// `same_names`: rows and columns are the same things. Throws InputError for a line without two
/// names, and for a file without links.
NamedLinks number_links(const std::string& path, bool same_names, bool header, PackedOutput& ids);

} // namespace alxsim::alx
