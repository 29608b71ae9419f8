// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/dataset_request.h"

#include "alx/data/linked_ids.h"
#include "alx/data/test_file.h"
#include "alx/data/weighted_links.h"
#include "alx/requests/config_request.h"
#include "alx/requests/split_request.h"
#include "base/input_error.h"
#include "base/paths.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace alxsim::alx {
namespace {

std::int64_t whole_number(double value, const char* field)
{
    if (value != std::floor(value) || value > 1e15) {
        throw InputError("", "/workload/dataset/generate/" + std::string(field),
                         "found " + Json(value).dump() + ", allowed are whole numbers");
    }
    return static_cast<std::int64_t>(value);
}

SparseMatrix filtered(SparseMatrix matrix, const DatasetRequest& dataset, const std::string& file,
                      KeptIds& kept)
{
    if (!dataset.filter) {
        return matrix;
    }
    try {
        FilterConfig config = filter_config_of(*dataset.filter);
        if (dataset.file) {
            config.same_nodes = holds_graph(dataset_file_of(dataset, file), config.same_nodes);
        }
        return filter(std::move(matrix), config, &kept);
    } catch (const InputError& error) {
        throw InputError("", "/workload/dataset/filter", error.what());
    }
}

/// Adds to `unlinked` those of `before`, the source's ids, that are not among those `after`.
void add_dropped(std::vector<std::int32_t>& unlinked, const std::vector<std::int32_t>& before,
                 std::int32_t count, const std::vector<std::int32_t>& after)
{
    const std::size_t known = unlinked.size();
    for (std::int32_t id = 0; id < count && !after.empty(); ++id) {
        const std::int32_t old = source_id(before, id);
        if (!std::binary_search(after.begin(), after.end(), old)) {
            unlinked.push_back(old);
        }
    }
    std::inplace_merge(unlinked.begin(), unlinked.begin() + static_cast<std::ptrdiff_t>(known),
                       unlinked.end());
}

/// Leaves out rows and columns without links to train on.
Dataset only_trained_of(Dataset data)
{
    const KeptIds before = data.source_ids;
    const std::int32_t rows = data.training.rows;
    const std::int32_t columns = data.training.columns;
    data = only_trained(std::move(data));
    add_dropped(data.unlinked.rows, before.rows, rows, data.source_ids.rows);
    add_dropped(data.unlinked.columns, before.columns, columns, data.source_ids.columns);
    return data;
}

std::int64_t first_source_id(const DatasetRequest& dataset, const std::string& file)
{
    return dataset.file ? first_id(dataset_file_of(dataset, file)) : 0;
}

/// Keeps rows and columns with links alone, unless the job is the released code, for which every id
/// up to the largest is one. A test file's ids are those of its data, so that it is read first.
Dataset linked_parts(SparseMatrix matrix, const KeptIds& filtered_ids,
                     const WorkloadRequest& workload, const std::string& file)
{
    const std::optional<SplitRequest>& parts = workload.split;
    const bool leave_out = !counts_unlinked_ids(workload);
    Dataset data;
    if (parts && parts->test_file) {
        data = with_test_file(std::move(matrix), resolve_path(*parts->test_file, file),
                              first_source_id(workload.dataset, file));
        UnlinkedIds unlinked = unlinked_ids(linked_ids(data));
        data = leave_out ? only_linked(std::move(data)) : std::move(data);
        data.unlinked = std::move(unlinked);
    } else {
        UnlinkedIds unlinked = unlinked_ids(linked_ids(matrix));
        KeptIds kept;
        matrix = leave_out ? only_linked(std::move(matrix), kept) : std::move(matrix);
        data = parts ? parted(std::move(matrix), composed(filtered_ids, kept), workload.dataset,
                              *parts, file)
                     : without_split(std::move(matrix));
        data.source_ids = std::move(kept);
        data.unlinked = std::move(unlinked);
        if (leave_out && parts && !holds_out_rows(*parts)) {
            data = only_trained_of(std::move(data));
        }
    }
    data.unlinked.left_out = leave_out;
    return data;
}

/// Weights are of files that have them.
void check_weights(const DatasetRequest& dataset, const std::string& file)
{
    if (dataset.generate) {
        throw InputError(file, "/workload/alx/weights",
                         "found confidence with generate, whose links all weigh 1; allowed is a "
                         "file with ratings or values");
    }
}

} // namespace

void check_dataset(const DatasetRequest& dataset, const std::string& file)
{
    const std::vector<std::pair<std::string, bool>> sources{
        {"webgraph", dataset.webgraph.has_value()},
        {"shape", dataset.shape.has_value()},
        {"generate", dataset.generate.has_value()},
        {"file", dataset.file.has_value()}};
    std::vector<std::string> names;
    std::string source;
    int count = 0;
    for (const auto& [name, there] : sources) {
        names.push_back(name);
        source = there ? name : source;
        count += there ? 1 : 0;
    }
    if (count != 1) {
        throw InputError(file, "/workload/dataset", "needs exactly one of " + join(names));
    }
    const std::vector<std::pair<std::string, bool>> others{
        {"format", dataset.format.has_value()},   {"rows", dataset.rows.has_value()},
        {"columns", dataset.columns.has_value()}, {"threshold", dataset.threshold.has_value()},
        {"fields", dataset.fields.has_value()},   {"names", dataset.names.has_value()},
        {"filter", dataset.filter.has_value()}};
    for (const auto& [field, there] : others) {
        const bool belongs = source == "file" || (source == "generate" && field == "filter");
        if (there && !belongs) {
            throw InputError(file, "/workload/dataset/" + field,
                             "found beside " + source + ", allowed is beside " +
                                 (field == "filter" ? "generate or file" : "file"));
        }
    }
}

DatasetFile dataset_file_of(const DatasetRequest& dataset, const std::string& file)
{
    if (!dataset.file) {
        throw InputError(file, "/workload/dataset",
                         "found sizes without links; allowed are file and generate");
    }
    DatasetFile wanted;
    wanted.path = resolve_path(*dataset.file, file);
    wanted.format = dataset.format.value_or("");
    wanted.rows = dataset.rows;
    wanted.columns = dataset.columns;
    wanted.threshold = dataset.threshold;
    if (dataset.fields) {
        wanted.fields = {dataset.fields->user, dataset.fields->item, dataset.fields->rating,
                         dataset.fields->time};
    }
    return wanted;
}

FilterConfig filter_config_of(const FilterRequest& filter)
{
    FilterConfig config;
    config.min_out = filter.min_out;
    config.min_in = filter.min_in;
    config.passes = filter.passes;
    config.drop_self_links = filter.self_links == "drop";
    if (filter.nodes) {
        config.same_nodes = filter.nodes == "same";
    }
    return config;
}

GenerateConfig generate_config_of(const GenerateRequest& generate)
{
    if (!generate.rows || !generate.columns || !generate.links) {
        const std::string missing = !generate.rows      ? "rows"
                                    : !generate.columns ? "columns"
                                                        : "links";
        throw InputError("", "/workload/dataset/generate",
                         "'" + missing + "' is missing, needed are rows, columns, links");
    }
    GenerateConfig config;
    config.rows = whole_number(*generate.rows, "rows");
    config.columns = whole_number(*generate.columns, "columns");
    config.links = whole_number(*generate.links, "links");
    config.min_links = generate.min_links;
    config.row_exponent = generate.row_exponent;
    config.column_exponent = generate.column_exponent;
    config.locality = generate.locality;
    return config;
}

Dataset dataset_of(const PointRequest& point, const std::string& file)
{
    const DatasetRequest& dataset = point.workload.dataset;
    const std::optional<SplitRequest>& parts = point.workload.split;
    check_dataset(dataset, file);
    if (parts) {
        check_split(dataset, *parts);
    }
    const bool weighs = weighs_links(point.workload);
    if (weighs) {
        check_weights(dataset, file);
    }
    KeptIds kept;
    WeightedLinks weights;
    SparseMatrix matrix =
        filtered(dataset.generate ? generate(generate_config_of(*dataset.generate), point.seed)
                 : weighs         ? read_matrix(dataset_file_of(dataset, file), weights)
                                  : read_matrix(dataset_file_of(dataset, file)),
                 dataset, file, kept);
    Dataset data = linked_parts(std::move(matrix), kept, point.workload, file);
    data.source_ids = composed(kept, std::move(data.source_ids));
    data.first_source_id = first_source_id(dataset, file);
    if (data.first_source_id != 0) {
        data.id_notes.push_back(*dataset.file + ": ids from " +
                                std::to_string(data.first_source_id) +
                                ": recommendations, test files and names go by them; where a table "
                                "has no row_ids.json, its row 0 is id " +
                                std::to_string(data.first_source_id));
    }
    if (weighs) {
        weigh(data, weights);
    }
    if (dataset.file) {
        DatasetFile read = dataset_file_of(dataset, file);
        read.weighs = weighs;
        data.read_as = how_read(read);
    }
    return data;
}

Json dataset_description(const Dataset& data, const WorkloadRequest& workload)
{
    Json description{{"name", workload.dataset.file.value_or("generated")},
                     {"rows", data.training.rows},
                     {"columns", data.training.columns},
                     {"training_links", data.training.links()},
                     {"test_rows", data.test_rows.size()},
                     {"history_links", data.history.links()},
                     {"held_out_links", data.ground_truth.links()}};
    if (!data.read_as.empty()) {
        description["read_as"] = data.read_as;
    }
    if (!data.split_as.empty()) {
        description["split_as"] = data.split_as;
    }
    for (const auto& [field, ids] : {std::pair("rows_without_links", &data.unlinked.rows),
                                     std::pair("columns_without_links", &data.unlinked.columns)}) {
        if (!ids->empty()) {
            description[field] = ids->size();
        }
    }
    for (const char* field : {"generate", "threshold", "filter"}) {
        if (workload.dataset_as_given.contains(field)) {
            description[field] = workload.dataset_as_given.at(field);
        }
    }
    return description;
}

} // namespace alxsim::alx
