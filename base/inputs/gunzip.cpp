// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/gunzip.h"

#include "base/input_error.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace alxsim {
namespace {

constexpr int gzip_header_bits = 15 + 16; ///< the largest window, of a gzip header (zlib.h)
constexpr std::size_t inflated_piece = 1 << 20;

/// Ends what zlib has begun.
struct Inflation {
    Inflation()
    {
        if (inflateInit2(&stream, gzip_header_bits) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ~Inflation() { inflateEnd(&stream); }
    Inflation(const Inflation&) = delete;
    Inflation& operator=(const Inflation&) = delete;

    z_stream stream{};
};

} // namespace

std::string gunzipped(std::string bytes, const std::string& file, std::int64_t most)
{
    if (bytes.compare(0, 2, "\x1f\x8b") != 0) {
        return bytes;
    }
    const auto refuse = [&](std::size_t left, const std::string& problem) {
        throw InputError(file, "byte " + std::to_string(bytes.size() - left), problem);
    };
    Inflation inflation;
    z_stream& stream = inflation.stream;
    std::string text;
    std::size_t left = bytes.size();
    for (bool in_member = true; in_member || left > 0;) {
        const auto given =
            static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
        const std::size_t before = text.size();
        text.resize(before + inflated_piece);
        stream.next_in = reinterpret_cast<Bytef*>(&bytes[bytes.size() - left]);
        stream.avail_in = given;
        stream.next_out = reinterpret_cast<Bytef*>(&text[before]);
        stream.avail_out = inflated_piece;
        const int code = inflate(&stream, Z_NO_FLUSH);
        left -= given - stream.avail_in;
        text.resize(text.size() - stream.avail_out);
        if (code == Z_STREAM_END) {
            in_member = false;
            if (left > 0) {
                inflateReset(&stream);
                in_member = true;
            }
        } else if (code == Z_BUF_ERROR) {
            refuse(left, "the compressed data (gzip) ends too early: is this all of the file?");
        } else if (code != Z_OK) {
            refuse(left, std::string("the compressed data (gzip) is damaged: ") +
                             (stream.msg != nullptr ? stream.msg : "no gzip data"));
        }
        if (static_cast<std::int64_t>(text.size()) > most) {
            refuse(left, "uncompressed, this holds more than " + std::to_string(most) +
                             " bytes, the most allowed");
        }
    }
    return text;
}

} // namespace alxsim
