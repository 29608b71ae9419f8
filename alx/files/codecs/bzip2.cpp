// SPDX-License-Identifier: Apache-2.0
#include "alx/files/codecs/codecs.h"

#include <bzlib.h>

#include <new>

namespace alxsim::alx {
namespace {

/// A digit for the size of its blocks, then the first block's sign or, of an empty stream, that of
/// the end.
bool is_bzip2(std::string_view bytes)
{
    const std::string_view sign = bytes.substr(0, 10).substr(bytes.size() < 4 ? bytes.size() : 4);
    return bytes.substr(0, 3) == "BZh" && bytes.size() > 3 && bytes[3] >= '1' && bytes[3] <= '9' &&
           (sign == std::string_view("1AY&SY").substr(0, sign.size()) ||
            sign == std::string_view("\x17rE8P\x90").substr(0, sign.size()));
}

class Bzip2Decoder final : public Decoder {
public:
    Bzip2Decoder() { open(); }
    ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }
    Bzip2Decoder(const Bzip2Decoder&) = delete;
    Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;

    void begin() override
    {
        BZ2_bzDecompressEnd(&stream_);
        open();
    }
    Decoded decode(const unsigned char* input, std::size_t size, char* into,
                   std::size_t room) override
    {
        stream_.next_in = reinterpret_cast<char*>(const_cast<unsigned char*>(input));
        stream_.avail_in = static_cast<unsigned>(size);
        stream_.next_out = into;
        stream_.avail_out = static_cast<unsigned>(room);
        const int code = BZ2_bzDecompress(&stream_);
        if (code == BZ_MEM_ERROR) {
            throw std::bad_alloc();
        }
        if (code != BZ_OK && code != BZ_STREAM_END) {
            throw DamagedData(code == BZ_DATA_ERROR ? "wrong data or checksum" : "no bzip2 data");
        }
        return {size - stream_.avail_in, room - stream_.avail_out, code == BZ_STREAM_END};
    }

private:
    void open()
    {
        stream_ = {};
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
            throw std::bad_alloc();
        }
    }

    bz_stream stream_{};
};

} // namespace

Codec bzip2_codec()
{
    // 900,000 bytes, of which five stand for up to 255 equal ones, take 32 bytes or more: the sign
    // of a block, its checksum, tables of two letters (sourceware.org/bzip2/manual).
    return {".bz2", is_bzip2, 900000 * 51 / 32,
            []() -> std::unique_ptr<Decoder> { return std::make_unique<Bzip2Decoder>(); }};
}

} // namespace alxsim::alx
