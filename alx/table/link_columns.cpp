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

} // namespace

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
    const bool named = has_header || !given.empty() ||
                       (what == TableOf::ids ? choice.has_no_numbers() : choice.has_common_names());
    if (named && !layout.first_line.empty()) {
        return choice.by_names(given, has_header);
    }
    LinkColumns columns;
    columns.rating = layout.fields > 2 ? std::optional(2) : std::nullopt;
    return columns;
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
