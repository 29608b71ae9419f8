// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/packed_output.h"
#include "alx/names/names.h"
#include "alx/table/link_columns.h"

#include <cstdint>
#include <optional>
#include <string>

namespace alxsim::alx {

/// A table of links whose rows and columns have names instead of numbers; further columns are
/// ignored.
struct NamedLinksFile {
    std::string path;
    bool same_names = false; ///< rows and columns are the same things
    bool header = false;     ///< the first line names the columns, whatever it looks like
    ColumnNames fields = {};
    std::optional<double> threshold = {}; ///< lines of a rating below are no links
    bool with_ratings = false; ///< each link's rating is written, and its time where there is one
};

/// What it held.
struct NamedLinks {
    Names rows;
    Names columns; ///< empty where rows and columns are the same things
    std::int64_t links = 0;
    std::int64_t below_threshold = 0; ///< lines that are no links
    bool has_ratings = false;         ///< a column of the table
    std::string read_as;              ///< how it was written, for people
};

/// Reads it, numbers the names of its links in the order in which they come, and writes lines 'row
/// column' of ids, or 'row column rating' or 'row column rating time'. Throws InputError as
/// layout_of() and link_columns(), for a line without two names, for ratings that are wanted and
/// not there, or no numbers, and for a file without links.
NamedLinks number_links(const NamedLinksFile& file, PackedOutput& ids);

} // namespace alxsim::alx
