// SPDX-License-Identifier: Apache-2.0
#include "alx/data/byte_source.h"
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "base/input_error.h"

namespace alxsim::alx {
namespace {

class AdjacencyReader final : public DatasetReader {
public:
    SparseMatrix read(const DatasetFile& file) const override
    {
        const IdParser row_ids(file.path, "row", 0, file.rows);
        const IdParser column_ids(file.path, "column", 0, file.columns);
        LineReader lines(file.path);
        const auto place = [&] { return lines.place(); };
        RowsBuilder builder(file, "line");
        std::string_view line;
        while (lines.next(line)) {
            std::string_view token = next_token(line);
            if (token.empty()) {
                continue;
            }
            builder.begin(row_ids.parse(token, place), lines.line_number());
            for (token = next_token(line); !token.empty(); token = next_token(line)) {
                builder.add(column_ids.parse(token, place));
            }
            builder.end();
        }
        if (builder.empty()) {
            throw InputError(file.path, lines.end_place(),
                             "holds no rows; expected lines of the form 'row column column ...'");
        }
        return builder.finish();
    }
};

} // namespace

std::unique_ptr<const DatasetReader> adjacency_reader()
{
    return std::make_unique<AdjacencyReader>();
}

} // namespace alxsim::alx
