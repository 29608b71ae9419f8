// SPDX-License-Identifier: Apache-2.0
#include "alx/files/codecs/codecs.h"

#include <zstd.h>

#include <new>

namespace alxsim::alx {
namespace {

/// A frame, or one that decoders go over, as pzstd begins with (RFC 8878, 3.1).
bool is_zstd(std::string_view bytes)
{
    return bytes.size() > 3 &&
           (bytes.substr(0, 4) == "\x28\xb5\x2f\xfd" ||
            ((bytes[0] & 0xf0) == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18"));
}

/// Windows of more than 128 MiB it refuses by itself.
class ZstdDecoder final : public Decoder {
public:
    ZstdDecoder()
    {
        if (stream_ == nullptr) {
            throw std::bad_alloc();
        }
    }
    ~ZstdDecoder() override { ZSTD_freeDCtx(stream_); }
    ZstdDecoder(const ZstdDecoder&) = delete;
    ZstdDecoder& operator=(const ZstdDecoder&) = delete;

    void begin() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }
    Decoded decode(const unsigned char* input, std::size_t size, char* into,
                   std::size_t room) override
    {
        ZSTD_inBuffer in{input, size, 0};
        ZSTD_outBuffer out{into, room, 0};
        const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
        if (ZSTD_isError(code) != 0) {
            throw DamagedData(ZSTD_getErrorName(code));
        }
        return {in.pos, out.pos, code == 0};
    }

private:
    ZSTD_DCtx* stream_ = ZSTD_createDCtx();
};

} // namespace

Codec zstd_codec()
{
    // A block of 128 KiB takes four bytes or more (RFC 8878, 3.1.1.2).
    return {".zst", is_zstd, (1 << 17) / 4,
            []() -> std::unique_ptr<Decoder> { return std::make_unique<ZstdDecoder>(); }};
}

} // namespace alxsim::alx
