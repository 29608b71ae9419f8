// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/packed_output.h"
#include "alx/names/names.h"
#include "alx/table/link_columns.h"

#include <cstdint>
#include <string>

namespace alxsim::alx {

/// A table of links whose rows and columns have names instead of numbers; further columns are
/// ignored.
struct NamedLinksFile {
    std::string path;
    bool same_names = false; ///< rows and columns are the same things
    bool header = false;     ///< the first line names the columns, whatever it looks like
    ColumnNames fields = {};
};

/// What it held.
struct NamedLinks {
    Names rows;
    Names columns; ///< empty where rows and columns are the same things
    std::int64_t links = 0;
    std::string read_as; ///< how it was written, for people
};

/// Reads it, numbers the names in the order in which they come, and writes 'row column' lines of
/// ids. Throws InputError as layout_of() and link_columns(), for a line without two names, and for
/// a file without links.
NamedLinks number_links(const NamedLinksFile& file, PackedOutput& ids);

} // namespace alxsim::alx
