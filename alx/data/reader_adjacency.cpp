// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/line_reader.h"
#include "alx/table/table_layout.h"
#include "base/input_error.h"

namespace alxsim::alx {
namespace {

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
};

} // namespace

std::unique_ptr<const DatasetReader> adjacency_reader()
{
    return std::make_unique<AdjacencyReader>();
}

} // namespace alxsim::alx
