// SPDX-License-Identifier: Apache-2.0
#include "alx/files/codecs/codecs.h"

#include <lzma.h>

#include <new>

namespace alxsim::alx {
namespace {

constexpr std::uint64_t most_memory = std::uint64_t{256} << 20; ///< xz -9 asks for 65 MiB

class XzDecoder final : public Decoder {
public:
    XzDecoder() { begin(); }
    ~XzDecoder() override { lzma_end(&stream_); }
    XzDecoder(const XzDecoder&) = delete;
    XzDecoder& operator=(const XzDecoder&) = delete;

    void begin() override
    {
        if (lzma_stream_decoder(&stream_, most_memory, 0) != LZMA_OK) {
            throw std::bad_alloc();
        }
    }
    Decoded decode(const unsigned char* input, std::size_t size, char* into,
                   std::size_t room) override
    {
        stream_.next_in = input;
        stream_.avail_in = size;
        stream_.next_out = reinterpret_cast<std::uint8_t*>(into);
        stream_.avail_out = room;
        const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
        if (code == LZMA_MEM_ERROR) {
            throw std::bad_alloc();
        }
        if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) {
            throw DamagedData(code == LZMA_MEMLIMIT_ERROR
                                  ? "its dictionary takes more than 256 MiB: decompress it first"
                              : code == LZMA_DATA_ERROR ? "wrong data or checksum"
                                                        : "no xz data");
        }
        return {size - stream_.avail_in, room - stream_.avail_out, code == LZMA_STREAM_END};
    }

private:
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

} // namespace

Codec xz_codec()
{
    // 273 bytes, the longest match, take at least 14 bits of the range coder, each
    // log2(2048 / 2017) bits of the file.
    return {".xz",
            [](std::string_view bytes) {
                return bytes.substr(0, 6) == std::string_view("\xfd"
                                                              "7zXZ\0",
                                                              6);
            },
            7100, []() -> std::unique_ptr<Decoder> { return std::make_unique<XzDecoder>(); }};
}

} // namespace alxsim::alx
