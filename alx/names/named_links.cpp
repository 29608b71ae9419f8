// SPDX-License-Identifier: Apache-2.0
#include "alx/names/named_links.h"

#include "alx/data/found_format.h"
#include "alx/files/line_reader.h"
#include "alx/table/link_time.h"
#include "alx/table/rating.h"
#include "base/input_error.h"
#include "base/json_document.h"
#include "base/text/printed.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace alxsim::alx {
namespace {

/// What of a line counts; empty where it has none.
struct NamedLine {
    std::string row;
    std::string column;
    std::string rating;
    std::string time;
};

NamedLine named_line(std::string_view line, const LinkColumns& columns, FieldCutter& cutter)
{
    NamedLine named;
    cutter.start(line);
    std::string_view field;
    for (int i = 0; cutter.next(field); ++i) { // all: a quote may be open in any
        if (i == columns.user) {
            named.row = field;
        } else if (i == columns.item) {
            named.column = field;
        } else if (i == columns.rating) {
            named.rating = field;
        } else if (i == columns.time) {
            named.time = field;
        }
    }
    for (std::string* text : {&named.row, &named.column, &named.rating, &named.time}) {
        while (!text->empty() && text->back() == '\r') { // a name is the rest of its line
            text->pop_back();
        }
    }
    return named;
}

class LinksNumberer {
public:
    LinksNumberer(const NamedLinksFile& file, PackedOutput& ids)
        : file_(file),
          ids_(ids),
          lines_(file.path),
          layout_(layout_of(lines_.beginning(), lines_.line_end(), file.path)),
          columns_(link_columns(layout_, TableOf::names, file.fields, file.path, file.header)),
          cutter_(layout_)
    {
        if (reads_ratings() && !columns_.rating) {
            throw InputError(file.path, "the first lines",
                             "found no column of ratings; allowed: one after user and item, or "
                             "named rating, score, stars, weight .. in the first line");
        }
        named_.has_ratings = columns_.rating.has_value();
        named_.read_as = in_words(columns_, layout_);
    }

    NamedLinks number()
    {
        bool is_header = columns_.first_line_is_header;
        std::string_view line;
        while (lines_.next(line)) {
            if (!is_comment_or_blank(line) && !std::exchange(is_header, false)) {
                take(line);
            }
        }
        if (named_.links == 0) {
            throw InputError(file_.path, lines_.end_place(),
                             named_.below_threshold > 0
                                 ? "no rating reaches the threshold of " +
                                       printed("%g", *file_.threshold) + "; the largest is " +
                                       printed("%g", largest_below_)
                                 : "holds no links");
        }
        return std::move(named_);
    }

private:
    bool reads_ratings() const { return file_.threshold || file_.with_ratings; }

    void take(std::string_view line)
    {
        const NamedLine found = named_line(line, columns_, cutter_);
        refuse_open_quote(cutter_, line, file_.path, lines_.place());
        if (found.row.empty() || found.column.empty()) {
            throw InputError(file_.path, lines_.place(),
                             "found " + shown(found.row) + " and " + shown(found.column) + " in " +
                                 shown(line) + "; allowed are two names, parted by " +
                                 layout_.separator_in_words() + " as in the first lines");
        }
        if (reads_ratings()) {
            const double rating =
                rating_in(found.rating, file_.path, [this] { return lines_.place(); });
            if (file_.threshold && rating < *file_.threshold) {
                largest_below_ =
                    named_.below_threshold > 0 ? std::max(largest_below_, rating) : rating;
                ++named_.below_threshold;
                return;
            }
        }
        write(found);
    }

    void write(const NamedLine& link)
    {
        Names& columns_names = file_.same_names ? named_.rows : named_.columns;
        const std::int32_t row = named_.rows.add(link.row);
        std::string text =
            std::to_string(row) + " " + std::to_string(columns_names.add(link.column));
        if (file_.with_ratings) {
            text += " " + link.rating + (columns_.time ? " " + time_of(link) : "");
        }
        ids_.write(text + "\n");
        ++named_.links;
    }

    /// One field of a line parted by blanks: a date with a time of day behind a blank becomes
    /// seconds, as which it is read.
    std::string time_of(const NamedLine& link) const
    {
        const std::optional<double> time = link_time(link.time);
        if (!time) {
            throw InputError(file_.path, lines_.place(),
                             "found " + shown(link.time) +
                                 " as a time; allowed beside ratings are numbers, and dates like "
                                 "2005-04-03 or 2005-04-03 10:20");
        }
        const bool is_one_field = link.time.find_first_of(" \t") == std::string::npos;
        return is_one_field ? link.time : Json(*time).dump();
    }

    const NamedLinksFile& file_;
    PackedOutput& ids_;
    LineReader lines_;
    TableLayout layout_;
    LinkColumns columns_;
    FieldCutter cutter_;
    NamedLinks named_;
    double largest_below_ = 0; ///< of the ratings below the threshold, if there are any
};

} // namespace

NamedLinks number_links(const NamedLinksFile& file, PackedOutput& ids)
{
    refuse_binary(file.path);
    return LinksNumberer(file, ids).number();
}

} // namespace alxsim::alx
