// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/table/table_layout.h"

#include <optional>
#include <string>
#include <string_view>

namespace alxsim::alx {

/// Columns of a table by the names in its first line, as the user gives them (`dataset.fields`), or
/// where that has none by their numbers from 1.
struct ColumnNames {
    std::optional<std::string> user;
    std::optional<std::string> item;
    std::optional<std::string> rating;
    std::optional<std::string> time;

    bool empty() const { return !user && !item && !rating && !time; }
    /// Whether all that are given are numbers, and some is.
    bool are_numbers() const;
};

/// What a table's lines hold: ids, or names that stand for them.
enum class TableOf { ids, names };

/// Which fields of a line say who has a link to what, and of what weight; counted from 0.
struct LinkColumns {
    int user = 0; ///< the matrix's row
    int item = 1; ///< its column
    std::optional<int> rating;
    std::optional<int> time;
    bool first_line_is_header = false;
    /// Whether the names are of two nodes, like source and target, or of a user and an item; none:
    /// they tell neither, or there are none.
    std::optional<bool> are_nodes = {};

    /// The last field that has to be read, with ratings and times or without.
    int last(bool with_ratings, bool with_times = false) const;
};

/// Whether a column called so commonly has ids, those of users or items among them.
bool names_ids(const std::string& name);
/// Whether a column called so commonly says what users or items are called.
bool names_titles(const std::string& name);

/// Whether the first line has names by which user and item are commonly called.
bool names_its_columns(const TableLayout& layout);

/// By the names in the first line where it has any: those given, or else what user, item and rating
/// are commonly called; of two columns in all, the first and the second. Without names by the
/// numbers given, or by position: user, item, rating, time. A first line has names if none of its
/// fields is a number; of a table of names, if it has common ones for user and item. `has_header`:
/// whatever it looks like; then by position where no name is known. Throws InputError where a name
/// is not there, or where it is not clear which column is meant.
LinkColumns link_columns(const TableLayout& layout, TableOf what, const ColumnNames& given,
                         const std::string& path, bool has_header = false);

/// "commas; user: column 2 of 4, 'userId'; item: column 3, 'movieId'; rating: column 4, 'rating'".
std::string in_words(const LinkColumns& columns, const TableLayout& layout);

} // namespace alxsim::alx
