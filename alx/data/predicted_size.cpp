// SPDX-License-Identifier: Apache-2.0
#include "alx/data/predicted_size.h"

#include "alx/files/byte_source.h"
#include "alx/files/line_reader.h"
#include "alx/files/tfrecord.h"
#include "base/input_error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace alxsim::alx {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t sample_bytes = 1 << 22;
constexpr std::string_view between_numbers = " \t\r,:;|";

/// The whole number that the next token is; -1 for another token, or none.
std::int64_t next_number(std::string_view& text)
{
    const std::string_view token = next_token(text, between_numbers);
    const bool digits = !token.empty() && token.size() < 16 &&
                        token.find_first_not_of("0123456789") == std::string_view::npos;
    return digits ? std::stoll(std::string(token)) : -1;
}

std::int64_t size_of_file(const std::string& path)
{
    std::error_code no_file;
    const std::uintmax_t size = fs::file_size(path, no_file);
    return no_file ? 0 : static_cast<std::int64_t>(size);
}

/// Lines of "row column", or with `whole_rows` of "row column column ...".
MatrixSize of_text(const DatasetFile& file, bool whole_rows)
{
    MatrixSize size;
    LineReader lines(file.path);
    std::int64_t rows = 0;
    std::int64_t previous = -1;
    bool in_order = true; // else the sample may come from anywhere, and has nearly all rows
    for (std::string_view line; lines.position() < sample_bytes && lines.next(line);) {
        const std::int64_t row = next_number(line);
        if (row < 0) {
            continue;
        }
        rows += row != previous ? 1 : 0;
        in_order = in_order && row >= previous;
        previous = row;
        size.rows = std::max(size.rows, row + 1);
        std::int64_t column = next_number(line);
        for (; column >= 0; column = whole_rows ? next_number(line) : -1) {
            size.columns = std::max(size.columns, column + 1);
            ++size.links;
        }
    }
    const double content = static_cast<double>(size_of_file(file.path)) * lines.compression();
    const double scale =
        std::max(1.0, content / static_cast<double>(std::max<std::int64_t>(1, lines.position())));
    const auto scaled = [scale](std::int64_t count) {
        return static_cast<std::int64_t>(static_cast<double>(count) * scale);
    };
    size.links = scaled(size.links);
    if (in_order) {
        size.rows = std::max(size.rows, std::min(scaled(rows), size.links));
    }
    return size;
}

/// The first line that is no comment: rows, columns, entries.
MatrixSize of_matrix_market(const DatasetFile& file)
{
    LineReader lines(file.path);
    for (std::string_view line; lines.next(line);) {
        if (!line.empty() && line[0] != '%') {
            const std::int64_t rows = next_number(line);
            const std::int64_t columns = next_number(line);
            return {rows, columns, next_number(line)};
        }
    }
    return {};
}

/// As cache_file.h has it.
MatrixSize of_cache(const DatasetFile& file)
{
    MatrixSize size;
    char head[12] = {};
    ByteSource source(file.path);
    source.read(head, sizeof head);
    source.read(&size, sizeof size);
    return size;
}

/// NAME.properties says "nodes=" and "arcs=".
MatrixSize of_bvgraph(const DatasetFile& file)
{
    MatrixSize size;
    std::ifstream properties(fs::path(file.path).replace_extension(".properties"));
    for (std::string line; std::getline(properties, line);) {
        const auto number = [&line](const std::string& name) {
            std::string_view rest(line);
            rest.remove_prefix(std::min(rest.size(), name.size()));
            return line.rfind(name, 0) == 0 ? next_number(rest) : 0;
        };
        size.rows = std::max(size.rows, number("nodes="));
        size.links = std::max(size.links, number("arcs="));
    }
    size.columns = size.rows;
    return size;
}

/// Varints of far ids.
MatrixSize of_tfrecords(const DatasetFile& file)
{
    MatrixSize size;
    for (const std::string& path : tfrecord_files(file.path)) {
        size.links += size_of_file(path) / 4;
    }
    return size;
}

/// A pipe gives what it holds but once.
bool is_pipe(const std::string& path)
{
    std::error_code no_file;
    return fs::is_fifo(path, no_file);
}

MatrixSize of_format(const DatasetFile& file, const std::string& format)
{
    return format == "matrix_market"       ? of_matrix_market(file)
           : format == "cache"             ? of_cache(file)
           : format == "bvgraph"           ? of_bvgraph(file)
           : format == "adjacency"         ? of_text(file, true)
           : format == "webgraph_tfrecord" ? of_tfrecords(file)
                                           : of_text(file, false);
}

} // namespace

MatrixSize predicted_size(const DatasetFile& file)
{
    MatrixSize size;
    if (is_pipe(file.path)) {
        return size;
    }
    try {
        size = of_format(file, file.format.empty() ? format_of(file.path) : file.format);
    } catch (const InputError&) {
        return {}; // reading will say what is wrong with it
    }
    return {file.rows.value_or(std::max<std::int64_t>(0, size.rows)),
            file.columns.value_or(std::max<std::int64_t>(0, size.columns)),
            std::max<std::int64_t>(0, size.links)};
}

} // namespace alxsim::alx
