// SPDX-License-Identifier: Apache-2.0
#include "alx/table/link_columns.h"

#include "alx/files/line_reader.h"
#include "base/input_error.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <vector>

namespace alxsim::alx {
namespace {

/// A role that a column may have, and what such columns are called: in small letters, without what
/// is no letter.
struct Role {
    const char* name;
    std::set<std::string> synonyms;
};

const Role& user_role()
{
    static const Role role{
        "user", {"user",       "userid",     "uid",      "u",        "customer", "customerid",
                 "member",     "memberid",   "reader",   "readerid", "listener", "listenerid",
                 "reviewerid", "row",        "rowid",    "source",   "sourceid", "src",
                 "from",       "fromnodeid", "follower", "start",    "startid"}};
    return role;
}

const Role& item_role()
{
    static const Role role{
        "item", {"item",     "itemid",    "iid",        "i",          "movie",   "movieid",
                 "product",  "productid", "asin",       "parentasin", "isbn",    "book",
                 "bookid",   "song",      "songid",     "track",      "trackid", "artist",
                 "artistid", "business",  "businessid", "anime",      "animeid", "game",
                 "gameid",   "column",    "col",        "columnid",   "target",  "targetid",
                 "dst",      "to",        "tonodeid",   "followed",   "end",     "endid"}};
    return role;
}

const Role& rating_role()
{
    static const Role role{"rating",
                           {"rating", "ratings", "score", "stars", "overall", "weight", "value",
                            "plays", "playcount", "count"}};
    return role;
}

const Role& time_role()
{
    static const Role role{
        "time", {"time", "timestamp", "date", "datetime", "unixtime", "unixreviewtime", "ts"}};
    return role;
}

/// Names of both roles that are those of nodes of one graph.
const std::set<std::string>& node_names()
{
    static const std::set<std::string> names{"source",     "sourceid", "src",      "from",
                                             "fromnodeid", "follower", "target",   "targetid",
                                             "dst",        "to",       "tonodeid", "followed",
                                             "start",      "startid",  "end",      "endid"};
    return names;
}

/// Names that any matrix may have.
const std::set<std::string>& neutral_names()
{
    static const std::set<std::string> names{"row", "rowid", "column", "col", "columnid", "i", "u"};
    return names;
}

std::string letters_of(std::string_view name)
{
    std::string letters;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return letters;
}

bool is_number(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error != std::errc::invalid_argument && end == text.data() + text.size();
}

class ColumnChoice {
public:
    ColumnChoice(const TableLayout& layout, const std::string& path)
        : names_(layout.first_line),
          path_(path)
    {
    }

    bool has_common_names() const
    {
        return !matches(user_role()).empty() && !matches(item_role()).empty();
    }

    /// Whether no field looks like data of a table of ids.
    bool has_no_numbers() const
    {
        return std::none_of(names_.begin(), names_.end(), is_number) &&
               std::any_of(names_.begin(), names_.end(),
                           [](const std::string& name) { return !name.empty(); });
    }

    /// `by_position`: where none is known, the first and the second.
    LinkColumns by_names(const ColumnNames& given, bool by_position) const
    {
        LinkColumns columns;
        columns.first_line_is_header = true;
        const std::optional<int> user = column_of(user_role(), given.user);
        const std::optional<int> item = column_of(item_role(), given.item);
        columns.rating = column_of(rating_role(), given.rating);
        columns.time = column_of(time_role(), given.time);
        if (!user && !item && (by_position || names_.size() == 2)) {
            return columns;
        }
        if (!user || !item) {
            refuse(std::string("none of which is known as ") + (user ? "the item" : "the user") +
                   (user || item ? "" : " or the item") +
                   "; allowed: common names such as user, userId, row, source and item, movieId, "
                   "column, target, or 'fields' of the data set, which says which is which");
        }
        columns.user = *user;
        columns.item = *item;
        columns.are_nodes = are_nodes(*user, *item);
        return columns;
    }

private:
    std::vector<int> matches(const Role& role) const
    {
        std::vector<int> found;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (role.synonyms.count(letters_of(names_[i])) != 0) {
                found.push_back(static_cast<int>(i));
            }
        }
        return found;
    }

    std::optional<bool> are_nodes(int user, int item) const
    {
        const std::string one = letters_of(names_[static_cast<std::size_t>(user)]);
        const std::string other = letters_of(names_[static_cast<std::size_t>(item)]);
        if (node_names().count(one) != 0 && node_names().count(other) != 0) {
            return true;
        }
        const auto is_known = [](const Role& role, const std::string& name) {
            return role.synonyms.count(name) != 0 && neutral_names().count(name) == 0 &&
                   node_names().count(name) == 0;
        };
        return is_known(user_role(), one) && is_known(item_role(), other) ? std::optional(false)
                                                                          : std::nullopt;
    }

    std::optional<int> column_of(const Role& role, const std::optional<std::string>& given) const
    {
        if (given) {
            const auto place = std::find(names_.begin(), names_.end(), *given);
            if (place == names_.end()) {
                refuse("none of which is " + shown(*given) + ", given as the " + role.name +
                       "'s; allowed: one of them");
            }
            return static_cast<int>(place - names_.begin());
        }
        const std::vector<int> found = matches(role);
        if (found.size() > 1) {
            refuse("more than one of which may be the " + std::string(role.name) +
                   "'s; allowed: 'fields' of the data set, which says which");
        }
        return found.empty() ? std::nullopt : std::optional(found.front());
    }

    [[noreturn]] void refuse(const std::string& why) const
    {
        std::vector<std::string> quoted;
        std::transform(names_.begin(), names_.end(), std::back_inserter(quoted),
                       [](const std::string& name) { return shown(name); });
        throw InputError(path_, "the first line", "found columns " + join(quoted) + ", " + why);
    }

    const std::vector<std::string>& names_;
    const std::string& path_;
};

std::optional<int> column_of_number(const char* role, const std::optional<std::string>& number,
                                    const TableLayout& layout, const std::string& path)
{
    if (!number) {
        return {};
    }
    int column = 0;
    std::from_chars(number->data(), number->data() + number->size(), column);
    if (column < 1 || column > static_cast<int>(layout.fields)) {
        throw InputError(path, "the first lines",
                         "found " + std::to_string(layout.fields) + " columns without names, and " +
                             shown(*number) + " given as the " + role +
                             "'s; allowed: a column's number from 1 to " +
                             std::to_string(layout.fields));
    }
    return column - 1;
}

/// Finds the columns of a table without names: user, item, rating and time, in that order, but
/// where they are given.
LinkColumns by_numbers(const ColumnNames& given, const TableLayout& layout, const std::string& path)
{
    const auto column = [&](const char* role, const std::optional<std::string>& number) {
        return column_of_number(role, number, layout, path);
    };
    LinkColumns columns;
    columns.user = column("user", given.user).value_or(columns.user);
    columns.item = column("item", given.item).value_or(columns.item);
    columns.rating = column("rating", given.rating);
    columns.time = column("time", given.time);
    if (columns.user == columns.item) {
        throw InputError(
            path, "the first lines",
            "found column " + std::to_string(columns.user + 1) +
                " as both the user's and the item's; allowed: 'fields' that give both");
    }
    if (given.empty()) { // else a column that is not given may be anything
        columns.rating = layout.fields > 2 ? std::optional(2) : std::nullopt;
        columns.time = layout.fields > 3 ? std::optional(3) : std::nullopt;
    }
    return columns;
}

} // namespace

bool ColumnNames::are_numbers() const
{
    const auto is_number = [](const std::optional<std::string>& name) {
        return !name || (!name->empty() && name->size() < 7 &&
                         name->find_first_not_of("0123456789") == std::string::npos);
    };
    return !empty() && is_number(user) && is_number(item) && is_number(rating) && is_number(time);
}

int LinkColumns::last(bool with_ratings, bool with_times) const
{
    return std::max(
        {user, item, with_ratings && rating ? *rating : 0, with_times && time ? *time : 0});
}

bool names_titles(const std::string& name)
{
    static const std::set<std::string> titles{"title",      "name",      "label",
                                              "movietitle", "booktitle", "itemname",
                                              "artistname", "username",  "productname"};
    return titles.count(letters_of(name)) != 0;
}

bool names_ids(const std::string& name)
{
    const std::string letters = letters_of(name);
    return letters == "id" || user_role().synonyms.count(letters) != 0 ||
           item_role().synonyms.count(letters) != 0;
}

bool names_its_columns(const TableLayout& layout)
{
    return ColumnChoice(layout, "").has_common_names();
}

LinkColumns link_columns(const TableLayout& layout, TableOf what, const ColumnNames& given,
                         const std::string& path, bool has_header)
{
    const ColumnChoice choice(layout, path);
    const bool looks_named =
        has_header || (what == TableOf::ids ? choice.has_no_numbers() : choice.has_common_names());
    const bool named = looks_named || (!given.empty() && !given.are_numbers());
    return named && !layout.first_line.empty() ? choice.by_names(given, has_header)
                                               : by_numbers(given, layout, path);
}

std::string in_words(const LinkColumns& columns, const TableLayout& layout)
{
    const auto column = [&](const char* role, int index) {
        std::string words = std::string(role) + ": column " + std::to_string(index + 1);
        if (columns.first_line_is_header) {
            words += ", " + shown(layout.first_line[static_cast<std::size_t>(index)]);
        }
        return words;
    };
    std::string words = "parted by " + layout.separator_in_words() + "; " +
                        column("user", columns.user) + "; " + column("item", columns.item);
    if (columns.rating) {
        words += "; " + column("rating", *columns.rating);
    }
    if (columns.time) {
        words += "; " + column("time", *columns.time);
    }
    return words +
           (columns.first_line_is_header ? " (by the first line's names)" : " (by position)");
}

} // namespace alxsim::alx
