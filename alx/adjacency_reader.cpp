// SPDX-License-Identifier: Apache-2.0
#include "alx/adjacency_reader.h"

#include "base/input_error.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace alxsim::alx {
namespace {

/// Ids and their count + 1 fit an int32.
constexpr std::int64_t largest_id = 2147483646;

std::string line_place(std::int64_t line)
{
    return "line " + std::to_string(line);
}

/// Lines of a plain or gzip file, streamed.
class LineReader {
public:
    explicit LineReader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb"))
    {
        if (!file_) {
            throw InputError(path, "", std::string("cannot be opened: ") + std::strerror(errno));
        }
        gzbuffer(file_.get(), 1 << 18);
    }

    /// False at the end of the file. The view holds until the next call.
    bool next(std::string_view& line)
    {
        std::size_t found = text_.find('\n', begin_);
        while (found == std::string::npos && fill()) {
            found = text_.find('\n', begin_);
        }
        if (found == std::string::npos && begin_ == text_.size()) {
            return false;
        }
        const std::size_t end = std::min(found, text_.size());
        line = std::string_view(text_).substr(begin_, end - begin_);
        begin_ = std::min(end + 1, text_.size());
        ++line_number_;
        return true;
    }
    std::int64_t line_number() const { return line_number_; }

private:
    struct Close {
        void operator()(gzFile file) const { gzclose_r(file); }
    };

    /// Appends the next piece of the file. False at its end.
    bool fill()
    {
        text_.erase(0, begin_);
        begin_ = 0;
        const std::size_t kept = text_.size();
        text_.resize(kept + (1 << 20));
        const int read = gzread(file_.get(), &text_[kept], 1 << 20);
        text_.resize(kept + static_cast<std::size_t>(std::max(read, 0)));
        bytes_ += std::max(read, 0);
        int code = Z_OK;
        const char* message = gzerror(file_.get(), &code);
        if (read < 0 || code == Z_BUF_ERROR) {
            fail(code, message);
        }
        return read > 0;
    }

    [[noreturn]] void fail(int code, const char* message) const
    {
        const std::string cause = code == Z_ERRNO ? std::strerror(errno) : message;
        throw InputError(path_, "after line " + std::to_string(line_number_),
                         "the file is truncated or damaged (" + cause + ") after " +
                             std::to_string(bytes_) + " bytes of text");
    }

    std::string path_;
    std::unique_ptr<gzFile_s, Close> file_;
    std::string text_;
    std::size_t begin_ = 0;
    std::int64_t line_number_ = 0;
    std::int64_t bytes_ = 0;
};

bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/// The next token of `text`, which is cut off it; empty at the end.
std::string_view next_token(std::string_view& text)
{
    std::size_t begin = 0;
    while (begin < text.size() && is_space(text[begin])) {
        ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && !is_space(text[end])) {
        ++end;
    }
    const std::string_view token = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return token;
}

/// One line of the file: where its columns stand in the list of all.
struct ListedRow {
    std::int32_t row;
    std::int64_t line;
    std::int64_t begin;
    std::int64_t end;
};

class AdjacencyParser {
public:
    AdjacencyParser(const std::string& path, const MatrixSize& size)
        : path_(path),
          row_limit_(limit_of(size.rows)),
          column_limit_(limit_of(size.columns))
    {
    }

    void parse_line(std::string_view text, std::int64_t line)
    {
        std::string_view token = next_token(text);
        if (token.empty()) {
            return;
        }
        ListedRow listed{parse_id(token, line, "row", row_limit_), line, begin_of_next(), 0};
        for (token = next_token(text); !token.empty(); token = next_token(text)) {
            columns_.push_back(parse_id(token, line, "column", column_limit_));
        }
        const auto begin = columns_.begin() + listed.begin;
        std::sort(begin, columns_.end());
        columns_.erase(std::unique(begin, columns_.end()), columns_.end());
        listed.end = begin_of_next();
        if (listed.end > listed.begin) {
            largest_column_ = std::max<std::int64_t>(largest_column_, columns_.back());
        }
        rows_.push_back(listed);
    }

    SparseMatrix finish(const MatrixSize& size)
    {
        if (rows_.empty()) {
            throw InputError(path_, "",
                             "holds no rows; expected lines of the form 'row column column ...'");
        }
        // A stable sort, so that of two equal rows the one further down is reported.
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const ListedRow& a, const ListedRow& b) { return a.row < b.row; });
        refuse_duplicates();
        SparseMatrix matrix;
        matrix.rows =
            static_cast<std::int32_t>(size.rows.value_or(rows_.back().row + std::int64_t{1}));
        matrix.columns = static_cast<std::int32_t>(size.columns.value_or(largest_column_ + 1));
        matrix.offsets.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
        matrix.ids.reserve(columns_.size());
        std::size_t next = 0;
        for (const ListedRow& listed : rows_) {
            while (next <= static_cast<std::size_t>(listed.row)) {
                matrix.offsets[next++] = static_cast<std::int64_t>(matrix.ids.size());
            }
            matrix.ids.insert(matrix.ids.end(), columns_.begin() + listed.begin,
                              columns_.begin() + listed.end);
        }
        std::fill(matrix.offsets.begin() + static_cast<std::ptrdiff_t>(next), matrix.offsets.end(),
                  static_cast<std::int64_t>(matrix.ids.size()));
        return matrix;
    }

private:
    static std::int64_t limit_of(const std::optional<std::int64_t>& size)
    {
        return size ? std::min(*size - 1, largest_id) : largest_id;
    }

    std::int64_t begin_of_next() const { return static_cast<std::int64_t>(columns_.size()); }

    std::int32_t parse_id(std::string_view token, std::int64_t line, const char* kind,
                          std::int64_t limit) const
    {
        std::int64_t id = 0;
        for (const char c : token) {
            if (c < '0' || c > '9') {
                refuse(token, line, kind, limit);
            }
            id = std::min(id * 10 + (c - '0'), largest_id + 1);
        }
        if (id > limit) {
            refuse(token, line, kind, limit);
        }
        return static_cast<std::int32_t>(id);
    }

    [[noreturn]] void refuse(std::string_view token, std::int64_t line, const char* kind,
                             std::int64_t limit) const
    {
        constexpr std::size_t longest_shown = 40;
        const std::string shown = std::string(token.substr(0, longest_shown)) +
                                  (token.size() > longest_shown ? "..." : "");
        throw InputError(path_, line_place(line),
                         "found '" + shown + "' as a " + kind +
                             " id, allowed are whole numbers from 0 to " + std::to_string(limit));
    }

    void refuse_duplicates() const
    {
        const auto same = std::adjacent_find(
            rows_.begin(), rows_.end(),
            [](const ListedRow& a, const ListedRow& b) { return a.row == b.row; });
        if (same != rows_.end()) {
            const ListedRow& second = *(same + 1);
            throw InputError(path_, line_place(second.line),
                             "row " + std::to_string(second.row) + " already stands in line " +
                                 std::to_string(same->line) + ", allowed is one line per row");
        }
    }

    std::string path_;
    std::int64_t row_limit_;
    std::int64_t column_limit_;
    std::vector<ListedRow> rows_;
    std::vector<std::int32_t> columns_;
    std::int64_t largest_column_ = -1;
};

} // namespace

SparseMatrix read_adjacency(const std::string& path, const MatrixSize& size)
{
    LineReader reader(path);
    AdjacencyParser parser(path, size);
    std::string_view line;
    while (reader.next(line)) {
        parser.parse_line(line, reader.line_number());
    }
    return parser.finish(size);
}

} // namespace alxsim::alx
