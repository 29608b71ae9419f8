// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/dataset_request.h"

#include "alx/data/test_file.h"
#include "alx/requests/section.h"
#include "base/input_error.h"
#include "base/paths.h"

#include <cmath>

namespace alxsim::alx {
namespace {

std::int64_t whole_number(const Json& object, const char* field, std::int64_t fallback)
{
    const double value = object.value(field, static_cast<double>(fallback));
    if (value != std::floor(value) || value > 1e15) {
        throw InputError("", "/workload/dataset/generate/" + std::string(field),
                         "found " + object.at(field).dump() + ", allowed are whole numbers");
    }
    return static_cast<std::int64_t>(value);
}

SparseMatrix filtered(SparseMatrix matrix, const Json& dataset, KeptIds& kept)
{
    if (!dataset.contains("filter")) {
        return matrix;
    }
    try {
        return filter(std::move(matrix), filter_config_of(dataset.at("filter")), &kept);
    } catch (const InputError& error) {
        throw InputError("", "/workload/dataset/filter", error.what());
    }
}

/// A test file says all by itself, in the ids of the file.
void check_test_file(const Json& dataset, const Json& split)
{
    if (split.size() > (split.contains("validation") ? 2U : 1U)) {
        throw InputError("", "/workload/split",
                         "found test_file beside other fields, allowed is test_file alone, or "
                         "test_rows, held_out_links, min_links, seed");
    }
    const FilterConfig filter = filter_config_of(dataset.value("filter", Json::object()));
    if (filter.drops_nodes()) {
        throw InputError(
            "", "/workload/dataset/filter",
            "gives rows and columns new ids, which those of test_file are not; allowed "
            "is one of the two: filter with 'alxsim dataset convert', then split");
    }
}

} // namespace

void check_dataset(const Json& dataset, const std::string& file)
{
    const std::vector<std::string> sources{"webgraph", "shape", "generate", "file"};
    std::string source;
    int count = 0;
    for (const std::string& name : sources) {
        if (dataset.contains(name)) {
            source = name;
            ++count;
        }
    }
    if (count != 1) {
        throw InputError(file, "/workload/dataset", "needs exactly one of " + join(sources));
    }
    for (const auto& [field, value] : dataset.items()) {
        const bool belongs =
            field == source || source == "file" || (source == "generate" && field == "filter");
        if (!belongs) {
            throw InputError(file, "/workload/dataset/" + field,
                             "found beside " + source + ", allowed is beside " +
                                 (field == "filter" ? "generate or file" : "file"));
        }
    }
}

DatasetFile dataset_file_of(const Json& dataset, const std::string& file)
{
    if (!dataset.contains("file")) {
        throw InputError(file, "/workload/dataset",
                         "found " + dataset.dump() +
                             ", which are sizes without links; allowed are file and generate");
    }
    DatasetFile wanted;
    wanted.path = resolve_path(dataset.at("file").get<std::string>(), file);
    wanted.format = dataset.value("format", "");
    if (dataset.contains("rows")) {
        wanted.rows = dataset.at("rows").get<std::int64_t>();
    }
    if (dataset.contains("columns")) {
        wanted.columns = dataset.at("columns").get<std::int64_t>();
    }
    if (dataset.contains("threshold")) {
        wanted.threshold = dataset.at("threshold").get<double>();
    }
    return wanted;
}

FilterConfig filter_config_of(const Json& filter)
{
    FilterConfig config;
    config.min_out = filter.value("min_out", config.min_out);
    config.min_in = filter.value("min_in", config.min_in);
    config.passes = filter.value("passes", config.passes);
    config.drop_self_links = filter.value("self_links", "keep") == "drop";
    if (filter.contains("nodes")) {
        config.same_nodes = filter.at("nodes") == "same";
    }
    return config;
}

SplitConfig split_config_of(const Json& split)
{
    SplitConfig config;
    config.test_rows = split.at("test_rows").get<double>();
    config.held_out_links = split.at("held_out_links").get<double>();
    config.min_links = split.at("min_links").get<std::int64_t>();
    config.seed = split.at("seed").get<std::uint64_t>();
    return config;
}

GenerateConfig generate_config_of(const Json& generate)
{
    for (const char* needed : {"rows", "columns", "links"}) {
        if (!generate.contains(needed)) {
            throw InputError("", "/workload/dataset/generate",
                             "'" + std::string(needed) +
                                 "' is missing, needed are rows, columns, "
                                 "links");
        }
    }
    GenerateConfig config;
    config.rows = whole_number(generate, "rows", 0);
    config.columns = whole_number(generate, "columns", 0);
    config.links = whole_number(generate, "links", 0);
    config.min_links = generate.value("min_links", config.min_links);
    config.row_exponent = generate.value("row_exponent", config.row_exponent);
    config.column_exponent = generate.value("column_exponent", config.column_exponent);
    config.locality = generate.value("locality", config.locality);
    return config;
}

/// Of what a split leaves for training, a part like the test rows, drawn with another seed.
Dataset validation_of(const Dataset& data, const Json& parts)
{
    SplitConfig config = split_config_of(parts);
    config.seed += 1;
    Dataset validation = split(data.training, config);
    validation.withheld_rows = data.training.rows - data.training_row_count();
    return validation;
}

Dataset dataset_of(const Json& study, const std::string& file)
{
    const Json dataset = section(study, "/workload/dataset");
    const Json parts = section(study, "/workload/split");
    check_dataset(dataset, file);
    if (parts.contains("test_file")) {
        check_test_file(dataset, parts);
    }
    KeptIds kept;
    SparseMatrix matrix =
        filtered(dataset.contains("generate") ? generate(generate_config_of(dataset.at("generate")),
                                                         study.at("seed").get<std::uint64_t>())
                                              : read_matrix(dataset_file_of(dataset, file)),
                 dataset, kept);
    if (!study.at("workload").contains("split")) {
        Dataset data = without_split(std::move(matrix));
        data.source_ids = std::move(kept);
        return data;
    }
    Dataset data =
        parts.contains("test_file")
            ? with_test_file(std::move(matrix),
                             resolve_path(parts.at("test_file").get<std::string>(), file))
            : split(matrix, split_config_of(parts));
    if (data.test_rows.empty() && parts.value("test_rows", 0.0) > 0) {
        throw InputError(file, "/workload/split",
                         "leaves no test row: found test_rows " + parts.at("test_rows").dump() +
                             " of the rows with " + parts.at("min_links").dump() +
                             " links or more; allowed: what takes one, or no split");
    }
    if (parts.at("validation").get<bool>()) {
        data = validation_of(data, parts);
    }
    data.source_ids = std::move(kept);
    return data;
}

Json dataset_description(const Dataset& data, const Json& study)
{
    const Json dataset = section(study, "/workload/dataset");
    Json description{
        {"name", dataset.value("file", "generated")}, {"rows", data.training.rows},
        {"columns", data.training.columns},           {"training_links", data.training.links()},
        {"test_rows", data.test_rows.size()},         {"history_links", data.history.links()},
        {"held_out_links", data.ground_truth.links()}};
    for (const char* field : {"generate", "threshold", "filter"}) {
        if (dataset.contains(field)) {
            description[field] = dataset.at(field);
        }
    }
    return description;
}

} // namespace alxsim::alx
