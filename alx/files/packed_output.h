// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace alxsim::alx {

/// Bytes into a stream: those of a gzip file where `path` ends in .gz. Keeps a piece of them alone.
class PackedOutput {
public:
    PackedOutput(std::ostream& file, const std::string& path);

    void write(std::string_view bytes);
    /// After the last bytes.
    void finish() { pack({}, Z_FINISH); }

private:
    struct EndDeflate {
        void operator()(z_stream* stream) const
        {
            deflateEnd(stream);
            delete stream;
        }
    };
    void pack(std::string_view bytes, int flush);

    std::ostream& file_;
    std::unique_ptr<z_stream, EndDeflate> stream_; ///< null: bytes stay as they are
    std::string piece_;
};

/// `content`, as a gzip file if the name ends in .gz.
std::string compressed_as_named(std::string_view content, const std::string& path);

} // namespace alxsim::alx
