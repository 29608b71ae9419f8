// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"

#include "alx/data/cache_file.h"
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/byte_source.h"
#include "alx/registry.h"

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

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// By the file's name alone, without its folder and without .gz.
std::string format_by_name(const std::string& name)
{
    // Whole names first: ratings.csv is more than a .csv.
    static const std::vector<std::pair<std::string, std::string>> endings{
        {"u.data", "movielens"},
        {"ratings.dat", "movielens"},
        {"ratings.csv", "movielens"},
        {".mtx", "matrix_market"},
        {".tsv", "edges"},
        {".csv", "edges"},
        {".edges", "edges"},
        {".graph", "bvgraph"},
        {".properties", "bvgraph"}};
    for (const auto& [ending, format] : endings) {
        if (ends_with(name, ending)) {
            return format;
        }
    }
    return name.find(".tfrecord") != std::string::npos ? "webgraph_tfrecord" : "adjacency";
}

} // namespace

std::string how_read(const DatasetFile& file)
{
    return std::filesystem::is_regular_file(file.path) ? reader_of(file)->how_read(file) : "";
}

std::vector<std::string> dataset_formats()
{
    return readers().names();
}

std::string format_of(const std::string& path)
{
    namespace fs = std::filesystem;
    if (fs::is_directory(path)) {
        return "webgraph_tfrecord";
    }
    if (!fs::exists(path)) {
        const bool graph = fs::exists(path + ".graph") || fs::exists(path + ".graph.gz");
        return graph ? "bvgraph" : format_by_name(fs::path(path).filename().string());
    }
    if (is_cache(path)) {
        return "cache";
    }
    std::string name = fs::path(path).filename().string();
    if (ends_with(name, ".gz")) {
        name.resize(name.size() - 3);
    }
    return format_by_name(name);
}

std::unique_ptr<const DatasetReader> reader_of(const DatasetFile& file)
{
    const std::string format = file.format.empty() ? format_of(file.path) : file.format;
    auto reader = readers().create(format);
    // A file that is not there has no format either: its name alone may have been mistyped.
    if (file.threshold && !reader->holds_ratings() && std::filesystem::exists(file.path)) {
        throw InputError(file.path, "",
                         "found a threshold for the format " + format +
                             ", which holds no ratings; allowed with: edges, movielens");
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

} // namespace alxsim::alx
