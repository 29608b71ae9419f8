// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_file.h"

#include "alx/data/cache_file.h"
#include "alx/data/matrix_rows.h"

#include <filesystem>
#include <sstream>

namespace alxsim::alx {
namespace {

constexpr std::size_t written_piece = 1 << 18;

bool is_text(const std::string& path)
{
    const std::string name = std::filesystem::path(path).filename().string();
    return name.find(".txt") != std::string::npos || name.find(".adj") != std::string::npos;
}

} // namespace

MatrixWriter::MatrixWriter(std::ostream& file, const std::string& path, std::int32_t rows,
                           std::int32_t columns, std::int64_t links)
    : output_(file, path),
      text_(is_text(path)),
      rows_(rows)
{
    if (!text_) {
        piece_ = cache_head(rows, columns, links);
    }
}

void MatrixWriter::row(const std::vector<std::int32_t>& ids)
{
    const std::int32_t row = next_++;
    if (!text_) {
        append_cache_row(piece_, ids);
    } else if (!ids.empty() || row + 1 == rows_) {
        piece_ += std::to_string(row);
        for (const std::int32_t column : ids) {
            piece_ += ' ' + std::to_string(column);
        }
        piece_ += '\n';
    }
    if (piece_.size() > written_piece) {
        flush();
    }
}

void MatrixWriter::flush()
{
    if (!text_) {
        const auto* const bytes = reinterpret_cast<const Bytef*>(piece_.data());
        sum_ = static_cast<std::uint32_t>(crc32_z(sum_, bytes, piece_.size()));
    }
    output_.write(piece_);
    piece_.clear();
}

void MatrixWriter::finish()
{
    flush();
    if (!text_) {
        output_.write(cache_end(sum_));
    }
    output_.finish();
}

void write_matrix(std::ostream& file, const SparseMatrix& matrix, const std::string& path)
{
    MatrixWriter writer(file, path, matrix.rows, matrix.columns, matrix.links());
    for_each_row(matrix, [&writer](const std::vector<std::int32_t>& ids) { writer.row(ids); });
    writer.finish();
}

std::string matrix_bytes(const SparseMatrix& matrix, const std::string& path)
{
    std::ostringstream file;
    write_matrix(file, matrix, path);
    return file.str();
}

} // namespace alxsim::alx
