// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/line_reader.h"
#include "base/input_error.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace alxsim::alx {
namespace {

constexpr const char* allowed_header =
    "'%%MatrixMarket matrix coordinate F S' with F one of pattern, real, integer and S one of "
    "general, symmetric";

struct Header {
    bool pattern = false;
    bool symmetric = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t entries = 0;
    std::string place; ///< of the sizes
};

std::string lower_case(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

class MatrixMarketFile {
public:
    explicit MatrixMarketFile(const DatasetFile& file) : file_(file), lines_(file.path) {}

    void read(RowSink& sink)
    {
        read_banner();
        read_sizes();
        check_sizes(file_, header_.rows, header_.columns);
        const IdParser row_ids(file_.path, "row", 1, header_.rows);
        const IdParser column_ids(file_.path, "column", 1, header_.columns);
        const auto place = [&] { return lines_.place(); };
        sink.set_size(header_.rows, header_.columns);
        std::string_view line;
        std::int64_t entries = 0;
        while (next_line(line)) {
            if (++entries > header_.entries) {
                refuse("found more entries than the " + std::to_string(header_.entries) +
                       " that the header says");
            }
            const std::int32_t row = row_ids.parse(next_token(line), place);
            const std::int32_t column = column_ids.parse(next_token(line), place);
            if (!header_.pattern && is_zero(next_token(line))) {
                continue;
            }
            sink.link(row, column, lines_.line_number());
            if (header_.symmetric && row != column) {
                sink.link(column, row, lines_.line_number());
            }
        }
        if (entries < header_.entries) {
            refuse("the file ends after " + std::to_string(entries) + " entries, the header says " +
                   std::to_string(header_.entries));
        }
        refuse_empty("rows", file_, header_.rows, entries, header_.place);
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const
    {
        throw InputError(file_.path, lines_.place(), problem);
    }

    /// The next line that is neither blank nor a comment.
    bool next_line(std::string_view& line)
    {
        while (lines_.next(line)) {
            std::string_view rest = line;
            const std::string_view token = next_token(rest);
            if (!token.empty() && token.front() != '%') {
                return true;
            }
        }
        return false;
    }

    void read_banner()
    {
        std::string_view line;
        if (!lines_.next(line)) {
            throw InputError(file_.path, lines_.end_place(),
                             std::string("is empty, expected ") + allowed_header);
        }
        const std::string found(line.substr(0, line.find('\r')));
        std::vector<std::string> words;
        for (std::string_view word = next_token(line); !word.empty(); word = next_token(line)) {
            words.push_back(lower_case(word));
        }
        words.resize(5);
        header_.pattern = words[3] == "pattern";
        header_.symmetric = words[4] == "symmetric";
        const bool field = header_.pattern || words[3] == "real" || words[3] == "integer";
        const bool symmetry = header_.symmetric || words[4] == "general";
        if (words[0] != "%%matrixmarket" || words[1] != "matrix" || words[2] != "coordinate" ||
            !field || !symmetry) {
            refuse("found " + shown(found) + ", allowed is " + allowed_header);
        }
    }

    std::int64_t size_of(std::string_view token) const
    {
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), size);
        if (error != std::errc() || end != token.data() + token.size() || size < 0) {
            refuse("found " + shown(token) +
                   " as a size, allowed are whole numbers in the form 'rows columns entries'");
        }
        return size;
    }

    void read_sizes()
    {
        std::string_view line;
        if (!next_line(line)) {
            refuse("the file ends before its sizes, 'rows columns entries'");
        }
        header_.rows = size_of(next_token(line));
        header_.columns = size_of(next_token(line));
        header_.entries = size_of(next_token(line));
        header_.place = lines_.place();
        const std::int64_t largest = std::max(header_.rows, header_.columns);
        if (largest > largest_id + 1) {
            refuse("found " + std::to_string(largest) + " as a size, allowed are at most " +
                   std::to_string(largest_id + 1));
        }
        if (header_.symmetric && header_.rows != header_.columns) {
            refuse("a symmetric matrix of " + std::to_string(header_.rows) + " rows and " +
                   std::to_string(header_.columns) + " columns; allowed: as many of both");
        }
    }

    bool is_zero(std::string_view token) const
    {
        double value = 0;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
        if (error != std::errc() || end != token.data() + token.size()) {
            refuse("found " + shown(token) + " as a value, allowed are numbers");
        }
        return value == 0;
    }

    const DatasetFile& file_;
    LineReader lines_;
    Header header_;
};

class MatrixMarketReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        MatrixMarketFile(file).read(sink);
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<LinksBuilder>(file, unit());
    }
};

} // namespace

std::unique_ptr<const DatasetReader> matrix_market_reader()
{
    return std::make_unique<MatrixMarketReader>();
}

} // namespace alxsim::alx
