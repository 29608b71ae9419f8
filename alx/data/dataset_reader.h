// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// A file that holds a matrix, and what it does not tell itself.
struct DatasetFile {
    std::string path;
    std::string format = {};                  ///< "": by content and name, see format_of()
    std::optional<std::int64_t> rows = {};    ///< absent: largest id + 1, or what the file says
    std::optional<std::int64_t> columns = {}; ///< likewise
    std::optional<double> threshold = {};     ///< ratings below are no links; ratings only
};

struct MatrixSize {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t links = 0;
};

/// One file format. Every link has the value 1; links that stand twice count once.
class DatasetReader {
public:
    virtual ~DatasetReader() = default;

    /// Throws InputError naming the file, the place in it, what was found and what is allowed.
    virtual SparseMatrix read(const DatasetFile& file) const = 0;
    /// Whether the format holds ratings, of which a threshold makes links.
    virtual bool holds_ratings() const { return false; }
};

/// Reads a matrix. Files may be gzip throughout. Throws InputError as the readers do, for an
/// unknown format, and for a threshold where there are no ratings.
SparseMatrix read_matrix(const DatasetFile& file);

/// The rows of a file's matrix, one after another. Those of a cache are read anew each time, so
/// that no more than one of them is in memory; any other file is read as a whole, once.
class MatrixRows {
public:
    /// Throws InputError as read_matrix() does.
    explicit MatrixRows(const DatasetFile& file);

    MatrixSize size() const { return size_; }
    /// Calls `row` with the ascending column ids of each row, in order. Throws InputError for a
    /// cache that is damaged, at its end perhaps.
    void for_each(const std::function<void(const std::vector<std::int32_t>& ids)>& row) const;

private:
    DatasetFile file_;
    std::optional<SparseMatrix> matrix_; ///< absent: the file is a cache
    MatrixSize size_;
};

std::vector<std::string> dataset_formats();

/// The format of a file for which none is given: `cache` where the file begins like one; else by
/// its name, less .gz: .mtx matrix_market; .tsv, .csv, .edges edges; u.data, ratings.dat,
/// ratings.csv movielens; .graph, .properties, or a name beside which both stand, bvgraph; any name
/// with .tfrecord in it, or a folder, webgraph_tfrecord; else adjacency.
std::string format_of(const std::string& path);

} // namespace alxsim::alx
