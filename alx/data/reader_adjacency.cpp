// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/line_reader.h"
#include "alx/table/table_layout.h"
#include "base/input_error.h"

#include <set>

namespace alxsim::alx {
namespace {

/// How many fields each of the first lines has; 0 where they differ.
std::size_t fields_of_all(const std::string& path)
{
    LineReader reader(path);
    std::set<std::size_t> counts;
    for_each_line(reader.beginning(), reader.line_end(), [&counts](std::string_view line) {
        if (!is_comment_or_blank(line)) {
            std::size_t fields = 0;
            while (!next_token(line).empty()) {
                ++fields;
            }
            counts.insert(fields);
        }
    });
    return counts.size() == 1 ? *counts.begin() : 0;
}

class AdjacencyReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        const IdParser row_ids(file.path, "row", 0, file.rows);
        const IdParser column_ids(file.path, "column", 0, file.columns);
        LineReader lines(file.path);
        const auto place = [&] { return lines.place(); };
        std::string_view line;
        while (lines.next(line)) {
            if (is_comment_or_blank(line)) {
                continue;
            }
            std::string_view token = next_token(line);
            sink.begin(row_ids.parse(token, place), lines.line_number());
            for (token = next_token(line); !token.empty(); token = next_token(line)) {
                sink.add(column_ids.parse(token, place));
            }
            sink.end();
        }
        if (sink.empty()) {
            throw InputError(file.path, lines.end_place(),
                             "holds no rows; expected lines of the form 'row column column ...'");
        }
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<RowsBuilder>(file, unit());
    }
    /// Says it where nothing but the user can tell lines of three or four numbers apart.
    std::string how_read(const DatasetFile& file) const override
    {
        const std::size_t fields = file.format.empty() ? fields_of_all(file.path) : 0;
        if (fields != 3 && fields != 4) {
            return {};
        }
        return "lines of a row and its " + std::to_string(fields - 1) +
               " columns; where they are a user, an item and a " +
               (fields == 3 ? "rating" : "rating and a time") +
               ", the format is 'edges', or 'movielens' with ids from 1";
    }
};

} // namespace

std::unique_ptr<const DatasetReader> adjacency_reader()
{
    return std::make_unique<AdjacencyReader>();
}

} // namespace alxsim::alx
