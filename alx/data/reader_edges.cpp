// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/byte_source.h"
#include "base/input_error.h"

namespace alxsim::alx {
namespace {

constexpr std::string_view separators = " \t\r,";

bool is_comment(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && (line[first] == '#' || line[first] == '%');
}

/// A header names its fields: two of them, neither of which looks like a number.
bool is_header(std::string_view line)
{
    if (line.find(',') == std::string_view::npos) {
        return false;
    }
    const auto is_name = [&] {
        const std::string_view token = next_token(line, separators);
        return !token.empty() && token.find_first_of("0123456789+-.") != 0;
    };
    return is_name() && is_name();
}

class EdgesReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        const IdParser row_ids(file.path, "row", 0, file.rows);
        const IdParser column_ids(file.path, "column", 0, file.columns);
        LineReader lines(file.path);
        const auto place = [&] { return lines.place(); };
        bool first = true;
        std::string_view line;
        while (lines.next(line)) {
            if (is_comment(line) || (first && is_header(line))) {
                first = first && is_comment(line);
                continue;
            }
            const std::string_view row = next_token(line, separators);
            if (row.empty()) {
                continue;
            }
            first = false;
            const std::string_view column = next_token(line, separators);
            if (column.empty()) {
                throw InputError(file.path, place(),
                                 "found " + shown(row) +
                                     " alone, allowed are lines of the form 'row column'");
            }
            const std::int32_t row_id = row_ids.parse(row, place);
            sink.link(row_id, column_ids.parse(column, place), lines.line_number());
        }
        if (sink.empty()) {
            throw InputError(file.path, lines.end_place(),
                             "holds no links; expected lines of the form 'row column'");
        }
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<LinksBuilder>(file, unit());
    }
};

} // namespace

std::unique_ptr<const DatasetReader> edges_reader()
{
    return std::make_unique<EdgesReader>();
}

} // namespace alxsim::alx
