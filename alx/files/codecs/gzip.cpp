// SPDX-License-Identifier: Apache-2.0
#include "alx/files/codecs/codecs.h"

#include <zlib.h>

#include <new>

namespace alxsim::alx {
namespace {

constexpr int gzip_window_bits = 15 + 16; ///< the largest window, of a gzip header (zlib.h)

class GzipDecoder final : public Decoder {
public:
    GzipDecoder()
    {
        if (inflateInit2(&stream_, gzip_window_bits) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ~GzipDecoder() override { inflateEnd(&stream_); }
    GzipDecoder(const GzipDecoder&) = delete;
    GzipDecoder& operator=(const GzipDecoder&) = delete;

    void begin() override { inflateReset(&stream_); }
    Decoded decode(const unsigned char* input, std::size_t size, char* into,
                   std::size_t room) override
    {
        stream_.next_in = const_cast<Bytef*>(input);
        stream_.avail_in = static_cast<uInt>(size);
        stream_.next_out = reinterpret_cast<Bytef*>(into);
        stream_.avail_out = static_cast<uInt>(room);
        const int code = inflate(&stream_, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            throw DamagedData(stream_.msg != nullptr ? stream_.msg : "no gzip data");
        }
        return {size - stream_.avail_in, room - stream_.avail_out, code == Z_STREAM_END};
    }

private:
    z_stream stream_{};
};

} // namespace

Codec gzip_codec()
{
    return {".gz", [](std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; },
            1032, // zlib.net/zlib_tech.html
            []() -> std::unique_ptr<Decoder> { return std::make_unique<GzipDecoder>(); }};
}

} // namespace alxsim::alx
