// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"
#include "alx/table/link_columns.h"

#include <cstdint>
#include <functional>
#include <memory>
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
    std::optional<double> threshold = {};     ///< ratings below are no links; of tables
    ColumnNames fields = {};                  ///< of tables whose first line has names
    bool weighs = false; ///< links weigh their ratings or values, for how_read()
};

struct MatrixSize {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t links = 0;
};

/// Called with a link and the time at which it was made (link_time()).
using TakeTimedLink = std::function<void(std::int32_t row, std::int32_t column, double time)>;

class MatrixBuilder;
class RowSink;
class WeightedLinks;

/// One file format. Every link has the value 1; links that stand twice count once.
class DatasetReader {
public:
    virtual ~DatasetReader() = default;

    /// Gives what the file holds to `sink`. Throws InputError naming the file, the place in it,
    /// what was found and what is allowed.
    virtual void read(const DatasetFile& file, RowSink& sink) const = 0;
    /// Keeps all that read() gives, in whatever order it comes.
    virtual std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const = 0;
    /// Returns the sizes where a format tells them first, and then holds all rows in order. Throws
    /// as read().
    virtual std::optional<MatrixSize> told_size(const DatasetFile& /*file*/) const { return {}; }
    /// What holds a row or a link, for messages.
    virtual std::string unit() const { return "line"; }
    /// What is read, where that is more or other than the path.
    virtual std::vector<std::string> paths(const DatasetFile& file) const { return {file.path}; }
    /// Whether the format holds ratings, of which a threshold makes links.
    virtual bool holds_ratings() const { return false; }
    /// Whether the file tells when links were made. Opens it anew. Throws as read().
    virtual bool tells_times(const DatasetFile& /*file*/) const { return false; }
    /// Gives each link with its time, as often as it stands there, those below a threshold left
    /// out. Throws InputError as read(), and where no times are told.
    virtual void read_times(const DatasetFile& file, const TakeTimedLink& take) const;
    /// Whether it is a table, whose first line may name its columns.
    virtual bool has_columns() const { return false; }
    /// The id of the file that becomes 0: what people are told, and ask for, is larger by it.
    /// Throws as read().
    virtual std::int64_t first_id(const DatasetFile& /*file*/) const { return 0; }
    /// Whether rows and columns are the same nodes, where format or file say so. Throws as read().
    virtual std::optional<bool> holds_graph(const DatasetFile& /*file*/) const { return {}; }
    /// What was found of how the file is written, for people; "" where there is nothing to tell.
    /// Opens the file anew. Throws as read().
    virtual std::string how_read(const DatasetFile& /*file*/) const { return {}; }
};

/// The reader of a file. Throws InputError for an unknown format, and for a threshold where there
/// are no ratings.
std::unique_ptr<const DatasetReader> reader_of(const DatasetFile& file);

/// Reads a matrix. Files may be compressed (files/codecs) throughout. Throws InputError as the
/// reader does.
SparseMatrix read_matrix(const DatasetFile& file);
/// The same with what its links weigh. Throws InputError for a format, or a file, without ratings
/// or values, and for one that is not above 0.
SparseMatrix read_matrix(const DatasetFile& file, WeightedLinks& weights);

/// DatasetReader::how_read() of a file, which is no pipe: those are read once.
std::string how_read(const DatasetFile& file);

/// DatasetReader::first_id() of a file, which is no pipe.
std::int64_t first_id(const DatasetFile& file);

/// DatasetReader::holds_graph() of a file; nothing of a pipe. `same_nodes`: what the user says, and
/// then the answer. Throws InputError where both say the opposite of a format's nature.
std::optional<bool> holds_graph(const DatasetFile& file, std::optional<bool> same_nodes);

std::vector<std::string> dataset_formats();

/// The format of a file for which none is given: `cache` where the file begins like one; else by
/// its name, less .gz, .bz2, .xz or .zst: .mtx matrix_market; .tsv, .csv, .edges edges; u.data,
/// ratings.dat movielens; .graph, .properties, or a name beside which both stand,
/// bvgraph; any name with .tfrecord in it, or a folder, webgraph_tfrecord; else by its lines, where
/// these can be no adjacency list; else adjacency. Throws InputError that names the format and a
/// way out for a file of a format that is not read.
std::string format_of(const std::string& path);

} // namespace alxsim::alx
