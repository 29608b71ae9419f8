// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"

#include "alx/data/found_format.h"
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/data/weighted_links.h"
#include "alx/registry.h"
#include "base/input_error.h"

#include <filesystem>

namespace alxsim::alx {
namespace {

const Registry<DatasetReader>& readers()
{
    static const Registry<DatasetReader> all("dataset format",
                                             {{"adjacency", adjacency_reader},
                                              {"edges", edges_reader},
                                              {"matrix_market", matrix_market_reader},
                                              {"movielens", movielens_reader},
                                              {"bvgraph", bvgraph_reader},
                                              {"webgraph_tfrecord", webgraph_tfrecord_reader},
                                              {"cache", cache_reader}});
    return all;
}

/// Formats whose readers look for text alone.
bool is_of_text(const std::string& format)
{
    return format == "adjacency" || format == "edges" || format == "matrix_market" ||
           format == "movielens";
}

} // namespace

void DatasetReader::read_times(const DatasetFile& file, const TakeTimedLink& /*take*/) const
{
    throw InputError(file.path, "",
                     "is of a format without times of links; allowed: a table with a column of "
                     "them, like userId,movieId,rating,timestamp");
}

std::string how_read(const DatasetFile& file)
{
    return std::filesystem::is_regular_file(file.path) ? reader_of(file)->how_read(file) : "";
}

std::int64_t first_id(const DatasetFile& file)
{
    return std::filesystem::is_regular_file(file.path) ? reader_of(file)->first_id(file) : 0;
}

std::optional<bool> holds_graph(const DatasetFile& file, std::optional<bool> same_nodes)
{
    if (std::filesystem::is_fifo(file.path)) { // gives its bytes but once
        return same_nodes;
    }
    const std::optional<bool> said = reader_of(file)->holds_graph(file);
    if (same_nodes.value_or(false) && !said.value_or(true)) {
        throw InputError(file.path, "",
                         "found nodes 'same' for a file of users and items, by its format or the "
                         "names of its columns; allowed: nodes 'separate'");
    }
    return same_nodes ? same_nodes : said;
}

std::vector<std::string> dataset_formats()
{
    return readers().names();
}

std::string format_of(const std::string& path)
{
    return found_format(path).format;
}

std::unique_ptr<const DatasetReader> reader_of(const DatasetFile& file)
{
    const std::string format = file.format.empty() ? format_of(file.path) : file.format;
    auto reader = readers().create(format);
    if (!file.format.empty() && is_of_text(format)) {
        refuse_binary(file.path);
    }
    // A file that is not there has no format either: its name alone may have been mistyped.
    if (file.threshold && !reader->holds_ratings() && std::filesystem::exists(file.path)) {
        throw InputError(
            file.path, "",
            "found a threshold for the format " + format +
                ", which holds no ratings; allowed with: edges, matrix_market, movielens");
    }
    if (!file.fields.empty() && !reader->has_columns() && std::filesystem::exists(file.path)) {
        throw InputError(file.path, "",
                         "found fields for the format " + format +
                             ", whose columns have no names; allowed with: edges, movielens");
    }
    return reader;
}

SparseMatrix read_matrix(const DatasetFile& file)
{
    const auto reader = reader_of(file);
    const auto builder = reader->builder(file);
    reader->read(file, *builder);
    return builder->finish();
}

SparseMatrix read_matrix(const DatasetFile& file, WeightedLinks& weights)
{
    const auto reader = reader_of(file);
    if (!reader->holds_ratings()) {
        throw InputError(file.path, "",
                         "found weights 'confidence' for the format " +
                             (file.format.empty() ? format_of(file.path) : file.format) +
                             ", whose links have none; allowed with: edges, matrix_market, "
                             "movielens");
    }
    const auto builder = reader->builder(file);
    builder->keep_weights(&weights);
    reader->read(file, *builder);
    weights.finish();
    return builder->finish();
}

} // namespace alxsim::alx
