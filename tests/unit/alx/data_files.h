// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"
#include "alx/data/matrix_file.h"
#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace alxsim::alx {

/// A folder for a test's files.
class DataFiles : public testing::Test {
protected:
    /// A name that ends in .gz makes a gzip file.
    std::string write(const std::string& name, const std::string& content) const
    {
        const std::string path = folder_ + name;
        std::ofstream(path, std::ios::binary) << compressed_as_named(content, path);
        return path;
    }
    static std::string error_of(const DatasetFile& file)
    {
        try {
            read_matrix(file);
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }

    const TemporaryFolder made_;
    const std::string folder_ = made_.path("") + "/";
};

/// Rows of a matrix, as lists.
inline std::vector<std::vector<std::int32_t>> rows_of(const SparseMatrix& matrix)
{
    std::vector<std::vector<std::int32_t>> rows;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        rows.push_back(matrix.ids(row));
    }
    return rows;
}

using Rows = std::vector<std::vector<std::int32_t>>;

} // namespace alxsim::alx
