// SPDX-License-Identifier: Apache-2.0
#include "report/trace/gzip.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <zlib.h>

namespace alxsim::report {
namespace {

constexpr int gzip_format = 15 + 16; // the largest window, and a header of gzip's
constexpr int memory_level = 9;

/// Ends what zlib has begun.
struct Deflation {
    Deflation()
    {
        if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, memory_level,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::runtime_error("zlib cannot compress");
        }
    }
    ~Deflation() { deflateEnd(&stream); }
    Deflation(const Deflation&) = delete;
    Deflation& operator=(const Deflation&) = delete;

    z_stream stream{};
};

} // namespace

std::string gzipped(std::string_view text)
{
    Deflation deflation;
    z_stream& stream = deflation.stream;
    std::string result;
    std::array<char, 65536> part{};
    int code = Z_OK;
    while (code == Z_OK) {
        if (stream.avail_in == 0) {
            // zlib counts in 32 bits.
            const std::size_t next =
                std::min<std::size_t>(text.size(), std::numeric_limits<int>::max());
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
            stream.avail_in = static_cast<uInt>(next);
            text.remove_prefix(next);
        }
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = part.size();
        code = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
        result.append(part.data(), part.size() - stream.avail_out);
    }
    if (code != Z_STREAM_END) {
        throw std::runtime_error("zlib cannot compress");
    }
    return result;
}

} // namespace alxsim::report
