// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/data/weighted_links.h"
#include "alx/files/line_reader.h"
#include "alx/table/link_columns.h"
#include "alx/table/link_time.h"
#include "alx/table/rating.h"
#include "base/input_error.h"
#include "base/text/printed.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace alxsim::alx {
namespace {

/// A table of ids, as it begins: how it is written, which columns count, and its smallest id.
struct OpenTable {
    explicit OpenTable(const DatasetFile& file, bool ids_from_one)
        : lines(file.path),
          layout(layout_of(lines.beginning(), lines.line_end(), file.path)),
          columns(link_columns(layout, TableOf::ids, file.fields, file.path)),
          cutter(layout),
          first_id(ids_from_one && !begins_with_an_id_of_zero() ? 1 : 0)
    {
    }

    LineReader lines;
    TableLayout layout;
    LinkColumns columns;
    FieldCutter cutter;
    std::int64_t first_id;

    /// Whether a comment names columns as SNAP does.
    bool names_nodes_of_snap()
    {
        bool found = false;
        for_each_line(lines.beginning(), lines.line_end(), [&found](std::string_view line) {
            found = found || (is_comment_or_blank(line) && line.find("FromNodeId") != line.npos);
        });
        return found;
    }

private:
    /// Whether user or item 0 is among the first lines.
    bool begins_with_an_id_of_zero()
    {
        bool is_header = columns.first_line_is_header;
        bool found = false;
        for_each_line(lines.beginning(), lines.line_end(), [&](std::string_view line) {
            if (is_comment_or_blank(line) || std::exchange(is_header, false)) {
                return;
            }
            cutter.start(line);
            std::string_view field;
            for (int i = 0; i <= columns.last(false) && cutter.next(field); ++i) {
                found = found || ((i == columns.user || i == columns.item) && field == "0");
            }
        });
        return found;
    }
};

double number_of(std::string_view token, const DatasetFile& file, const LineReader& lines)
{
    return rating_in(token, file.path, [&lines] { return lines.place(); });
}

/// A link of weight 0 says nothing, one below 0 what the objective cannot.
void refuse_no_weight(double weight, const DatasetFile& file, const LineReader& lines)
{
    if (weight <= 0 || weight > std::numeric_limits<float>::max()) {
        throw InputError(file.path, lines.place(),
                         "found " + printed("%g", weight) +
                             " as a weight; allowed are numbers above 0 that f32 holds, or a "
                             "'threshold' that leaves such lines out");
    }
}

double time_of(std::string_view token, const DatasetFile& file, const LineReader& lines)
{
    const std::optional<double> time = link_time(token);
    if (!time) {
        throw InputError(file.path, lines.place(),
                         "found " + shown(token) +
                             " as a time, allowed are numbers, and dates like 2005-04-03 or "
                             "2005-04-03 17:30:00");
    }
    return *time;
}

/// Lines of a user and an item, and what else is known of that link.
class TableReader final : public DatasetReader {
public:
    /// `of_ratings`: each line has one, and ids begin at 1 unless a 0 is among the first lines.
    explicit TableReader(bool of_ratings) : of_ratings_(of_ratings) {}

    void read(const DatasetFile& file, RowSink& sink) const override
    {
        for_each_link(file, {false, sink.weights() != nullptr},
                      [&sink](const TableLink& link, std::int64_t number) {
                          if (sink.weights() != nullptr) {
                              sink.weights()->add(link.row, link.column, link.weight);
                          }
                          sink.link(link.row, link.column, number);
                      });
    }
    bool tells_times(const DatasetFile& file) const override
    {
        return OpenTable(file, of_ratings_).columns.time.has_value();
    }
    void read_times(const DatasetFile& file, const TakeTimedLink& take) const override
    {
        for_each_link(file, {true, false}, [&take](const TableLink& link, std::int64_t /*number*/) {
            take(link.row, link.column, link.time);
        });
    }

    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<LinksBuilder>(file, unit());
    }
    bool holds_ratings() const override { return true; }
    std::int64_t first_id(const DatasetFile& file) const override
    {
        return OpenTable(file, of_ratings_).first_id;
    }
    std::optional<bool> holds_graph(const DatasetFile& file) const override
    {
        OpenTable table(file, of_ratings_);
        return of_ratings_                   ? std::optional(false)
               : table.names_nodes_of_snap() ? std::optional(true)
                                             : table.columns.are_nodes;
    }
    bool has_columns() const override { return true; }
    std::string how_read(const DatasetFile& file) const override
    {
        const OpenTable table(file, of_ratings_);
        std::string words = "lines " + in_words(table.columns, table.layout) + "; ids from " +
                            std::to_string(table.first_id);
        if (table.columns.rating) {
            words += file.threshold
                         ? "; a link is a rating of " + printed("%g", *file.threshold) + " or more"
                         : "; every line is a link, whatever its rating, 0 too ('threshold' "
                           "takes those from it up)";
            words += file.weighs ? ", and weighs its rating"
                                 : "; ratings weigh nothing (\"weights\": \"confidence\" of "
                                   "/workload/alx counts them)";
        }
        return words;
    }

private:
    struct TableLink {
        std::int32_t row = -1;
        std::int32_t column = -1;
        double time = 0;
        double weight = 0;  ///< its rating
        bool counts = true; ///< not below the threshold
    };

    /// What is read beside user and item.
    struct Wanted {
        bool times = false;
        bool weights = false; ///< which must be above 0
    };

    /// Calls `take` with each link that counts and the number of its line.
    template <class Take>
    void for_each_link(const DatasetFile& file, const Wanted& wanted, const Take& take) const
    {
        OpenTable table(file, of_ratings_);
        const LinkColumns& columns = table.columns;
        const bool timed = wanted.times;
        const bool rated = of_ratings_ || file.threshold || wanted.weights;
        expect_columns(file, table, rated, timed);
        const IdParser row_ids(file.path, "row", table.first_id, file.rows);
        const IdParser column_ids(file.path, "column", table.first_id, file.columns);
        LineReader& lines = table.lines;
        const auto place = [&] { return lines.place(); };
        const int last = columns.last(rated, timed);
        bool is_header = columns.first_line_is_header;
        bool is_empty = true;
        std::optional<double> largest;
        std::string_view line;
        while (lines.next(line)) {
            if (is_comment_or_blank(line) || std::exchange(is_header, false)) {
                continue;
            }
            table.cutter.start(line);
            TableLink link;
            for (int i = 0; i <= last; ++i) {
                std::string_view field;
                if (!table.cutter.next(field)) {
                    refuse_short(file, lines, table, line, last);
                }
                if (i == columns.user) {
                    link.row = row_ids.parse(field, place);
                } else if (i == columns.item) {
                    link.column = column_ids.parse(field, place);
                } else if (rated && i == *columns.rating) {
                    link.weight = number_of(field, file, lines);
                    largest = std::max(largest.value_or(link.weight), link.weight);
                    link.counts = !file.threshold || link.weight >= *file.threshold;
                } else if (timed && i == *columns.time) {
                    link.time = time_of(field, file, lines);
                }
            }
            if (table.cutter.quote_is_open()) {
                refuse_open_quote(table.cutter, line, file.path, place());
            }
            if (link.counts) {
                if (wanted.weights) {
                    refuse_no_weight(link.weight, file, lines);
                }
                is_empty = false;
                take(link, lines.line_number());
            }
        }
        if (is_empty) {
            refuse_empty(file, lines, rated, largest);
        }
    }

    /// `largest`: of the ratings, if there are any.
    [[noreturn]] static void refuse_empty(const DatasetFile& file, const LineReader& lines,
                                          bool rated, const std::optional<double>& largest)
    {
        if (largest && file.threshold) {
            throw InputError(file.path, "",
                             "no rating reaches the threshold of " +
                                 printed("%g", *file.threshold) + "; the largest is " +
                                 printed("%g", *largest));
        }
        throw InputError(file.path, lines.end_place(),
                         rated ? "holds no ratings; expected lines of the form 'user item rating'"
                               : "holds no links; expected lines of the form 'row column'");
    }

    static void expect_columns(const DatasetFile& file, const OpenTable& table, bool rated,
                               bool timed)
    {
        if (rated && !table.columns.rating && !table.layout.first_line.empty()) {
            throw InputError(file.path, "the first line",
                             "found no column of ratings; allowed: one after user and item, or "
                             "named rating, score, stars, weight .. in the first line");
        }
        if (timed && !table.columns.time) {
            throw InputError(
                file.path, "the first line",
                "found no column of times" +
                    (table.columns.first_line_is_header ? " in " + join(table.layout.first_line)
                                                        : std::string()) +
                    "; allowed: one that the first line calls time, timestamp, date .., "
                    "or that /workload/dataset/fields/time names");
        }
    }

    [[noreturn]] static void refuse_short(const DatasetFile& file, const LineReader& lines,
                                          const OpenTable& table, std::string_view line, int last)
    {
        throw InputError(file.path, lines.place(),
                         "found " + shown(line) + "; allowed are lines of at least " +
                             std::to_string(last + 1) + " fields, parted by " +
                             table.layout.separator_in_words() + " as the first ones");
    }

    bool of_ratings_;
};

} // namespace

std::unique_ptr<const DatasetReader> edges_reader()
{
    return std::make_unique<TableReader>(false);
}

std::unique_ptr<const DatasetReader> movielens_reader()
{
    return std::make_unique<TableReader>(true);
}

} // namespace alxsim::alx
