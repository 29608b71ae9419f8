// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"
#include "alx/data/matrix_rows.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

/// What `alxsim dataset`'s commands have in common: files that they read and write.
namespace alxsim::program {

using namespace alx;

constexpr std::int64_t most_ids = std::numeric_limits<std::int32_t>::max();

extern const char* const formats_help;

/// Adds --fields: which columns of a table are which, by the names in its first line.
void add_fields(CLI::App& command, ColumnNames& fields);

/// Adds the options that say how to read a file.
void add_reading(CLI::App& command, const std::shared_ptr<DatasetFile>& file);

/// Writes what `rows` calls its argument with, row by row, and prints that it did. `what`:
/// "matrix".
void write_rows(const std::string& what, const MatrixSize& size, const std::string& path,
                const std::function<void(const TakeRow& row)>& rows);

/// What a file that write_rows() writes calls the id 0, by its name.
std::int64_t first_written_id(const std::string& path);
/// Says on stderr where the ids of `from`, which were not given anew, are others in `path`.
void tell_new_ids(const DatasetFile& from, const std::string& path);

/// The rows of a file. Where links have to be kept, and take much memory, says so first.
MatrixRows rows_of_file(const DatasetFile& file);
/// The whole matrix; likewise.
SparseMatrix matrix_of_file(const DatasetFile& file);

} // namespace alxsim::program
