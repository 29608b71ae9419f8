// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_file.h"

#include "alx/data/cache_file.h"
#include "alx/data/matrix_rows.h"
#include "alx/files/codecs/codecs.h"
#include "base/input_error.h"

#include <filesystem>
#include <sstream>

namespace alxsim::alx {
namespace {

constexpr std::size_t written_piece = 1 << 18;

bool ends_with(const std::string& name, const std::string& end)
{
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Its name without folder and what compresses it.
std::string bare_name(const std::string& path)
{
    return without_codec(std::filesystem::path(path).filename().string());
}

std::string sizes(std::int32_t rows, std::int32_t columns, std::int64_t links)
{
    return std::to_string(rows) + " " + std::to_string(columns) + " " + std::to_string(links);
}

} // namespace

MatrixForm form_of(const std::string& path)
{
    const std::string name = bare_name(path);
    if (name.find(".txt") != std::string::npos || name.find(".adj") != std::string::npos) {
        return MatrixForm::adjacency;
    }
    if (ends_with(name, ".tsv") || ends_with(name, ".csv") || ends_with(name, ".edges")) {
        return MatrixForm::edges;
    }
    return ends_with(name, ".mtx") ? MatrixForm::matrix_market : MatrixForm::cache;
}

MatrixWriter::MatrixWriter(std::ostream& file, const std::string& path, std::int32_t rows,
                           std::int32_t columns, std::int64_t links)
    : output_(file, path),
      form_(form_of(path)),
      separator_(ends_with(bare_name(path), ".csv")   ? ','
                 : ends_with(bare_name(path), ".tsv") ? '\t'
                                                      : ' '),
      rows_(rows)
{
    const std::filesystem::path name = std::filesystem::path(path).filename();
    if (bare_name(path) != name.string() && name.extension() != ".gz") {
        throw InputError(path, "",
                         "found '" + name.extension().string() +
                             "' to be written; allowed: .gz, or no compression");
    }
    if (form_ == MatrixForm::cache) {
        piece_ = cache_head(rows, columns, links);
    } else if (form_ == MatrixForm::edges) {
        piece_ = "# rows, columns, links: " + sizes(rows, columns, links) + "\n";
    } else if (form_ == MatrixForm::matrix_market) {
        piece_ = "%%MatrixMarket matrix coordinate pattern general\n" +
                 sizes(rows, columns, links) + "\n";
    }
}

void MatrixWriter::row(const std::vector<std::int32_t>& ids)
{
    const std::int32_t row = next_++;
    if (form_ == MatrixForm::cache) {
        append_cache_row(piece_, ids);
    } else {
        append_text(row, ids);
    }
    if (piece_.size() > written_piece) {
        flush();
    }
}

void MatrixWriter::append_text(std::int32_t row, const std::vector<std::int32_t>& ids)
{
    if (form_ == MatrixForm::adjacency) {
        if (ids.empty() && row + 1 != rows_) {
            return;
        }
        piece_ += std::to_string(row);
        for (const std::int32_t column : ids) {
            piece_ += ' ' + std::to_string(column);
        }
        piece_ += '\n';
        return;
    }
    const std::int32_t first = form_ == MatrixForm::matrix_market ? 1 : 0;
    for (const std::int32_t column : ids) {
        piece_ += std::to_string(row + first) + separator_ + std::to_string(column + first) + '\n';
    }
}

void MatrixWriter::flush()
{
    if (form_ == MatrixForm::cache) {
        const auto* const bytes = reinterpret_cast<const Bytef*>(piece_.data());
        sum_ = static_cast<std::uint32_t>(crc32_z(sum_, bytes, piece_.size()));
    }
    output_.write(piece_);
    piece_.clear();
}

void MatrixWriter::finish()
{
    flush();
    if (form_ == MatrixForm::cache) {
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
