// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/byte_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace alxsim::alx {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; ///< of UTF-8

/// The lines of a plain or compressed file, streamed, without their ends: \n, \r\n, or \r where the
/// file has no other. A byte order mark of UTF-8 at its beginning is none of the first line.
class LineReader {
public:
    explicit LineReader(const std::string& path);

    /// False at the end of the file. The view holds until the next call.
    bool next(std::string_view& line);
    /// The first MiB of content, or all of less, before any line was read.
    std::string_view beginning();
    /// Returns the number of the line read last, from 1.
    std::int64_t line_number() const { return line_number_; }
    /// Bytes of the lines so far.
    std::int64_t position() const
    {
        return source_.position() - static_cast<std::int64_t>(text_.size() - begin_);
    }
    /// Bytes of content for each of the file, where it is compressed; else 1.
    double compression() const
    {
        return static_cast<double>(source_.position()) /
               static_cast<double>(std::max<std::int64_t>(1, source_.file_position()));
    }
    char line_end() const { return line_end_; }
    /// "line 3".
    std::string place() const { return "line " + std::to_string(line_number_); }
    /// "after line 3": where something is missing.
    std::string end_place() const { return "after " + place(); }

private:
    bool fill();
    void begin();

    ByteSource source_;
    std::string text_;
    std::size_t begin_ = 0;
    std::int64_t line_number_ = 0;
    char line_end_ = '\n';
    bool begun_ = false;
};

inline constexpr std::string_view usual_blanks = " \t\r";

/// The next token of `text`, which is cut off it; empty at the end. Any run of `separators` parts.
std::string_view next_token(std::string_view& text, std::string_view separators = usual_blanks);

/// Something found in a file, quoted for a message and cut if long; control characters, which a
/// terminal would obey, as \x1b.
std::string shown(std::string_view token);

} // namespace alxsim::alx
