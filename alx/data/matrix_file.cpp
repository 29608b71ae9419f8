// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_file.h"

#include "alx/data/cache_file.h"

#include <zlib.h>

#include <filesystem>
#include <stdexcept>

namespace alxsim::alx {

std::string adjacency_text(const SparseMatrix& matrix)
{
    std::string text;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        if (matrix.length(row) == 0 && row + 1 < matrix.rows) {
            continue;
        }
        text += std::to_string(row);
        for (const std::int32_t column : matrix.ids(row)) {
            text += ' ' + std::to_string(column);
        }
        text += '\n';
    }
    return text;
}

std::string matrix_bytes(const SparseMatrix& matrix, const std::string& path)
{
    const std::string name = std::filesystem::path(path).filename().string();
    const bool text =
        name.find(".txt") != std::string::npos || name.find(".adj") != std::string::npos;
    return compressed_as_named(text ? adjacency_text(matrix) : cache_bytes(matrix), path);
}

std::string compressed_as_named(std::string content, const std::string& path)
{
    if (std::filesystem::path(path).extension() != ".gz") {
        return content;
    }
    constexpr int gzip_window = 15 + 16;
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("zlib cannot start to compress");
    }
    std::string compressed;
    std::string piece(1 << 18, '\0');
    const std::size_t most = 1 << 30; // zlib counts in 32 bits
    std::size_t given = 0;
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        if (stream.avail_in == 0 && given < content.size()) {
            const std::size_t size = std::min(most, content.size() - given);
            stream.next_in = reinterpret_cast<Bytef*>(content.data() + given);
            stream.avail_in = static_cast<uInt>(size);
            given += size;
        }
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        state = deflate(&stream, given == content.size() ? Z_FINISH : Z_NO_FLUSH);
        compressed.append(piece, 0, piece.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    return compressed;
}

} // namespace alxsim::alx
