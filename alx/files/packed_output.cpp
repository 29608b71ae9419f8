// SPDX-License-Identifier: Apache-2.0
#include "alx/files/packed_output.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <ostream>
#include <sstream>

namespace alxsim::alx {
namespace {

constexpr int gzip_window = 15 + 16; ///< the largest, with a gzip header (zlib.h)
constexpr std::size_t packed_piece = 1 << 18;
constexpr std::size_t most_at_once = 1 << 30; ///< zlib counts in 32 bits

} // namespace

PackedOutput::PackedOutput(std::ostream& file, const std::string& path) : file_(file)
{
    if (std::filesystem::path(path).extension() != ".gz") {
        return;
    }
    stream_.reset(new z_stream{});
    piece_.resize(packed_piece);
    if (deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
    }
}

void PackedOutput::write(std::string_view bytes)
{
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most_at_once))) {
        pack(bytes.substr(0, most_at_once), Z_NO_FLUSH);
    }
}

void PackedOutput::pack(std::string_view bytes, int flush)
{
    if (!stream_) {
        file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return;
    }
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // only read
    stream_->avail_in = static_cast<uInt>(bytes.size());
    do {
        stream_->next_out = reinterpret_cast<Bytef*>(piece_.data());
        stream_->avail_out = static_cast<uInt>(piece_.size());
        deflate(stream_.get(), flush);
        file_.write(piece_.data(),
                    static_cast<std::streamsize>(piece_.size() - stream_->avail_out));
    } while (stream_->avail_out == 0);
}

std::string compressed_as_named(std::string_view content, const std::string& path)
{
    std::ostringstream file;
    PackedOutput output(file, path);
    output.write(content);
    output.finish();
    return file.str();
}

} // namespace alxsim::alx
