// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"
#include "alx/data/matrix_market/values.h"
#include "alx/data/readers.h"
#include "alx/data/weighted_links.h"
#include "alx/files/line_reader.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/text/printed.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <complex>
#include <filesystem>
#include <limits>
#include <optional>

namespace alxsim::alx {
namespace {

constexpr const char* allowed_header =
    "'%%MatrixMarket matrix T F S' with T one of coordinate, array, F one of pattern, real, "
    "integer, unsigned-integer, complex and S one of general, symmetric, skew-symmetric, hermitian";

enum class Symmetry { general, symmetric, skew, hermitian };

struct Header {
    bool array = false; ///< all values, column by column, of a symmetric matrix the lower triangle
    bool pattern = false;
    bool complex = false;
    Symmetry symmetry = Symmetry::general;
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

/// Whether a value of the file may have a minus sign, or how many lines it has cannot be known:
/// then entries at one place may be 0 together.
bool may_cancel(const std::string& path)
{
    std::error_code no_file;
    if (!std::filesystem::is_regular_file(path, no_file)) {
        return true; // a pipe is read once
    }
    LineReader lines(path);
    for (std::string_view line; lines.next(line);) {
        const std::size_t minus = line.find('-');
        if (minus != std::string_view::npos && line[0] != '%' && minus > 0 &&
            (line[minus - 1] == ' ' || line[minus - 1] == '\t')) {
            return true;
        }
        if (std::count(line.begin(), line.end(), '-') > 1) { // 1e-3 -1e-3
            return true;
        }
    }
    return false;
}

class MatrixMarketFile {
public:
    explicit MatrixMarketFile(const DatasetFile& file) : file_(file), lines_(file.path) {}

    void read(RowSink& sink)
    {
        read_banner();
        read_sizes();
        check_sizes(file_, header_.rows, header_.columns);
        sink.set_size(header_.rows, header_.columns);
        sink_ = &sink;
        // A dense matrix has one value at each place.
        adds_ = !header_.array && !header_.pattern &&
                (file_.threshold || sink.weights() != nullptr ||
                 header_.symmetry == Symmetry::skew || may_cancel(file_.path));
        check_threshold();
        check_weights(sink);
        header_.array ? read_array() : read_coordinates();
        refuse_empty("rows", file_, header_.rows, header_.entries, header_.place);
        if (adds_) {
            added_.for_each_link(
                [this](std::complex<double> sum) { return is_link(sum); },
                [&](std::int32_t row, std::int32_t column, std::complex<double> sum) {
                    if (sink.weights() != nullptr) {
                        weigh(row, column, sum);
                    }
                    sink.link(row, column, lines_.line_number());
                });
        }
    }

    /// Reads banner and sizes alone.
    std::string in_words()
    {
        read_banner();
        read_sizes();
        const char* const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
        std::string words = std::string(header_.array ? "dense, " : "coordinates, ") +
                            symmetries[static_cast<int>(header_.symmetry)] + "; ids from 1; " +
                            std::to_string(header_.entries) +
                            (header_.array ? " values" : " entries");
        if (header_.pattern) {
            return words;
        }
        words += header_.array ? "" : ", of which those at one place are added";
        return words +
               (file_.threshold
                    ? "; a link is a value of " + printed("%g", *file_.threshold) + " or more"
                    : "; every value but 0 is a link ('threshold' takes those from it up)") +
               (file_.weighs ? ", and weighs its value"
                             : "; values weigh nothing (\"weights\": \"confidence\" of "
                               "/workload/alx counts them)");
    }

    /// Reads the banner alone.
    bool is_general()
    {
        read_banner();
        return header_.symmetry == Symmetry::general;
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

    void read_coordinates()
    {
        const IdParser row_ids(file_.path, "row", 1, header_.rows);
        const IdParser column_ids(file_.path, "column", 1, header_.columns);
        const auto place = [&] { return lines_.place(); };
        std::string_view line;
        std::int64_t entries = 0;
        while (next_line(line)) {
            if (++entries > header_.entries) {
                refuse("found more entries than the " + std::to_string(header_.entries) +
                       " that the header says");
            }
            const std::int32_t row = row_ids.parse(next_token(line), place);
            const std::int32_t column = column_ids.parse(next_token(line), place);
            take(row, column, header_.pattern ? 1.0 : value_in(line));
        }
        refuse_fewer(entries);
    }

    /// Values alone, a line each.
    void read_array()
    {
        const bool triangle = header_.symmetry != Symmetry::general;
        const std::int64_t below = header_.symmetry == Symmetry::skew ? 1 : 0;
        std::string_view line;
        std::int64_t entries = 0;
        for (std::int64_t column = 0; column < header_.columns; ++column) {
            for (std::int64_t row = triangle ? column + below : 0; row < header_.rows; ++row) {
                if (!next_line(line)) {
                    refuse_fewer(entries);
                }
                ++entries;
                take(static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                     value_in(line));
            }
        }
        if (next_line(line)) {
            refuse("found more values than the " + std::to_string(header_.entries) +
                   " that the sizes make");
        }
    }

    void refuse_fewer(std::int64_t entries) const
    {
        if (entries < header_.entries) {
            refuse("the file ends after " + std::to_string(entries) + " entries, the header says " +
                   std::to_string(header_.entries));
        }
    }

    bool is_link(std::complex<double> value) const
    {
        return file_.threshold ? value.real() >= *file_.threshold : value != 0.0;
    }

    void check_threshold() const
    {
        if (file_.threshold && (header_.pattern || header_.complex)) {
            throw InputError(file_.path, "line 1",
                             std::string("found a threshold for ") +
                                 (header_.pattern ? "a pattern, which has no values"
                                                  : "complex values, which have no order") +
                                 "; allowed are real and integer ones");
        }
    }

    void check_weights(const RowSink& sink) const
    {
        if (sink.weights() != nullptr && (header_.pattern || header_.complex)) {
            throw InputError(file_.path, "line 1",
                             std::string("found weights 'confidence' for ") +
                                 (header_.pattern ? "a pattern, which has no values"
                                                  : "complex values, which have no order") +
                                 "; allowed are real and integer ones");
        }
    }

    void weigh(std::int32_t row, std::int32_t column, std::complex<double> value)
    {
        const double weight = value.real();
        if (weight <= 0 || weight > std::numeric_limits<float>::max()) {
            throw InputError(file_.path,
                             "row " + std::to_string(row + 1) + ", column " +
                                 std::to_string(column + 1),
                             "found " + printed("%g", weight) +
                                 " as a weight; allowed are numbers above 0 that f32 holds, or a "
                                 "'threshold' that leaves such values out");
        }
        sink_->weights()->add(row, column, weight);
    }

    /// An entry, and the one across the diagonal.
    void take(std::int32_t row, std::int32_t column, std::complex<double> value)
    {
        link(row, column, value);
        if (header_.symmetry != Symmetry::general && row != column) {
            link(column, row,
                 header_.symmetry == Symmetry::skew        ? -value
                 : header_.symmetry == Symmetry::hermitian ? std::conj(value)
                                                           : value);
        }
    }

    void link(std::int32_t row, std::int32_t column, std::complex<double> value)
    {
        if (adds_) {
            added_.add(row, column, value);
            if (added_.bytes() > checked_bytes_) {
                checked_bytes_ = added_.bytes();
                refuse_beyond_memory(Bytes(2 * checked_bytes_), host_memory_limit(),
                                     "entries of which some may add up to 0", file_.path,
                                     lines_.place());
            }
        } else if (is_link(value)) {
            if (sink_->weights() != nullptr) { // of a dense matrix
                weigh(row, column, value);
            }
            sink_->link(row, column, lines_.line_number());
        }
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
        header_.array = words[2] == "array";
        header_.pattern = words[3] == "pattern";
        header_.complex = words[3] == "complex";
        const std::vector<std::string> symmetries{"general", "symmetric", "skew-symmetric",
                                                  "hermitian"};
        const auto symmetry = std::find(symmetries.begin(), symmetries.end(), words[4]);
        header_.symmetry = static_cast<Symmetry>(symmetry - symmetries.begin());
        const bool field = header_.pattern || header_.complex || words[3] == "real" ||
                           words[3] == "integer" || words[3] == "unsigned-integer";
        // A pattern has no signs, and a dense one says nothing.
        const bool sense =
            !(header_.pattern && (header_.array || header_.symmetry > Symmetry::symmetric)) &&
            (header_.complex || header_.symmetry != Symmetry::hermitian);
        if (words[0] != "%%matrixmarket" || words[1] != "matrix" ||
            !(header_.array || words[2] == "coordinate") || !field ||
            symmetry == symmetries.end() || !sense) {
            refuse("found " + shown(found) + ", allowed is " + allowed_header);
        }
    }

    std::int64_t size_of(std::string_view token) const
    {
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), size);
        if (error != std::errc() || end != token.data() + token.size() || size < 0) {
            refuse("found " + shown(token) + " as a size, allowed are whole numbers in the form '" +
                   sizes_in_words() + "'");
        }
        return size;
    }

    void read_sizes()
    {
        std::string_view line;
        if (!next_line(line)) {
            refuse("the file ends before its sizes, '" + sizes_in_words() + "'");
        }
        header_.rows = size_of(next_token(line));
        header_.columns = size_of(next_token(line));
        header_.entries = header_.array ? 0 : size_of(next_token(line));
        header_.place = lines_.place();
        const std::int64_t largest = std::max(header_.rows, header_.columns);
        if (largest > largest_id + 1) {
            refuse("found " + std::to_string(largest) + " as a size, allowed are at most " +
                   std::to_string(largest_id + 1));
        }
        if (header_.symmetry != Symmetry::general && header_.rows != header_.columns) {
            refuse("a symmetric matrix of " + std::to_string(header_.rows) + " rows and " +
                   std::to_string(header_.columns) + " columns; allowed: as many of both");
        }
        if (header_.array) {
            header_.entries = values();
        }
    }

    /// How many values of a dense matrix are written.
    std::int64_t values() const
    {
        const std::int64_t n = header_.rows;
        switch (header_.symmetry) {
        case Symmetry::general:
            return n * header_.columns;
        case Symmetry::skew:
            return n * (n - 1) / 2;
        default:
            return n * (n + 1) / 2;
        }
    }

    std::string sizes_in_words() const
    {
        return header_.array ? "rows columns" : "rows columns entries";
    }

    std::complex<double> value_in(std::string_view& line) const
    {
        const double real = number_in(line);
        return {real, header_.complex ? number_in(line) : 0.0};
    }

    double number_in(std::string_view& line) const
    {
        const std::string_view token = next_token(line);
        const std::optional<double> value = matrix_market_number(token);
        if (!value) {
            refuse("found " + shown(token) + " as a value, allowed are finite numbers");
        }
        return *value;
    }

    const DatasetFile& file_;
    LineReader lines_;
    Header header_;
    RowSink* sink_ = nullptr;
    bool adds_ = false; ///< entries are kept, since those at one place may add up to 0
    AddedEntries added_;
    std::int64_t checked_bytes_ = 0;
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
    std::int64_t first_id(const DatasetFile& /*file*/) const override { return 1; }
    bool holds_ratings() const override { return true; }
    std::string how_read(const DatasetFile& file) const override
    {
        return MatrixMarketFile(file).in_words();
    }
    std::optional<bool> holds_graph(const DatasetFile& file) const override
    {
        return MatrixMarketFile(file).is_general() ? std::nullopt : std::optional(true);
    }
};

} // namespace

std::unique_ptr<const DatasetReader> matrix_market_reader()
{
    return std::make_unique<MatrixMarketReader>();
}

} // namespace alxsim::alx
