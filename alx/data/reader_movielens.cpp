// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/byte_source.h"
#include "base/input_error.h"

#include <charconv>

namespace alxsim::alx {
namespace {

constexpr std::string_view between_fields = " \t\r,:";

/// Of lines with commas: `userId,movieId,rating,timestamp`.
bool is_ratings_header(std::string_view line)
{
    const std::string_view token = next_token(line, between_fields);
    return line.find(',') != std::string_view::npos && !token.empty() &&
           token.find_first_of("0123456789+-.") != 0;
}

double parse_rating(std::string_view token, const DatasetFile& file, const LineReader& lines)
{
    double rating = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), rating);
    if (error != std::errc() || end != token.data() + token.size()) {
        throw InputError(file.path, lines.place(),
                         "found " + shown(token) +
                             " as a rating, allowed are numbers in lines of the form 'user item "
                             "rating', parted by tabs, '::' or commas");
    }
    return rating;
}

class MovielensReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        const IdParser user_ids(file.path, "row", 1, file.rows);
        const IdParser item_ids(file.path, "column", 1, file.columns);
        LineReader lines(file.path);
        const auto place = [&] { return lines.place(); };
        std::string_view line;
        while (lines.next(line)) {
            if (lines.line_number() == 1 && is_ratings_header(line)) {
                continue;
            }
            const std::string_view user = next_token(line, between_fields);
            if (user.empty()) {
                continue;
            }
            const std::int32_t row = user_ids.parse(user, place);
            const std::int32_t column = item_ids.parse(next_token(line, between_fields), place);
            const double rating = parse_rating(next_token(line, between_fields), file, lines);
            if (!file.threshold || rating >= *file.threshold) {
                sink.link(row, column, lines.line_number());
            }
        }
        if (sink.empty()) {
            throw InputError(file.path, lines.end_place(),
                             "holds no ratings at or above the threshold; expected lines of the "
                             "form 'user item rating'");
        }
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<LinksBuilder>(file, unit());
    }
    bool holds_ratings() const override { return true; }
};

} // namespace

std::unique_ptr<const DatasetReader> movielens_reader()
{
    return std::make_unique<MovielensReader>();
}

} // namespace alxsim::alx
