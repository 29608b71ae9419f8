// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <cstdint>
#include <optional>
#include <string>

/// What a study says of ALX's data, as types: `workload.dataset` and `workload.split`, defaults
/// filled in. alx/workload/schema/workload.schema.json says what each field is and may hold.
namespace alxsim::alx {

/// A matrix known by its sizes alone. Sizes may be written like 1e9.
struct ShapeRequest {
    std::optional<double> rows;
    std::optional<double> columns;
    std::optional<double> links;
    std::int64_t min_links = 1;
    std::optional<double> row_exponent;
    std::optional<double> column_exponent;
    std::optional<double> longest_row;
    std::optional<double> longest_column;
    std::optional<double> locality;
};

struct GenerateRequest {
    std::optional<double> rows;
    std::optional<double> columns;
    std::optional<double> links;
    std::optional<std::int64_t> min_links;
    std::optional<double> row_exponent;
    std::optional<double> column_exponent;
    std::optional<double> locality;
};

struct FilterRequest {
    std::optional<std::int64_t> min_out;
    std::optional<std::int64_t> min_in;
    std::optional<int> passes;
    std::optional<std::string> self_links;
    std::optional<std::string> nodes;
};

struct NamesRequest {
    std::string rows; ///< a file
    std::optional<std::string> columns;
};

struct DatasetRequest {
    std::optional<std::string> webgraph;
    std::optional<ShapeRequest> shape;
    std::optional<GenerateRequest> generate;
    std::optional<std::string> file;
    std::optional<std::string> format;
    std::optional<std::int64_t> rows;
    std::optional<std::int64_t> columns;
    std::optional<double> threshold;
    std::optional<NamesRequest> names;
    std::optional<FilterRequest> filter;
};

/// Either a test file or all the others but `validation`.
struct SplitRequest {
    std::optional<double> test_rows;
    std::optional<double> held_out_links;
    std::optional<std::int64_t> min_links;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> test_file;
    bool validation = false;
};

template <class Fields>
void list_fields(Fields& fields, ShapeRequest& shape)
{
    fields("rows", shape.rows);
    fields("columns", shape.columns);
    fields("links", shape.links);
    fields.newer("min_links", shape.min_links);
    fields("row_exponent", shape.row_exponent);
    fields("column_exponent", shape.column_exponent);
    fields("longest_row", shape.longest_row);
    fields("longest_column", shape.longest_column);
    fields("locality", shape.locality);
}

template <class Fields>
void list_fields(Fields& fields, GenerateRequest& generate)
{
    fields("rows", generate.rows);
    fields("columns", generate.columns);
    fields("links", generate.links);
    fields("min_links", generate.min_links);
    fields("row_exponent", generate.row_exponent);
    fields("column_exponent", generate.column_exponent);
    fields("locality", generate.locality);
}

template <class Fields>
void list_fields(Fields& fields, FilterRequest& filter)
{
    fields("min_out", filter.min_out);
    fields("min_in", filter.min_in);
    fields("passes", filter.passes);
    fields("self_links", filter.self_links);
    fields("nodes", filter.nodes);
}

template <class Fields>
void list_fields(Fields& fields, NamesRequest& names)
{
    fields("rows", names.rows);
    fields("columns", names.columns);
}

template <class Fields>
void list_fields(Fields& fields, DatasetRequest& dataset)
{
    fields("webgraph", dataset.webgraph);
    fields("shape", dataset.shape);
    fields("generate", dataset.generate);
    fields("file", dataset.file);
    fields("format", dataset.format);
    fields("rows", dataset.rows);
    fields("columns", dataset.columns);
    fields("threshold", dataset.threshold);
    fields("names", dataset.names);
    fields("filter", dataset.filter);
}

template <class Fields>
void list_fields(Fields& fields, SplitRequest& split)
{
    fields("test_rows", split.test_rows);
    fields("held_out_links", split.held_out_links);
    fields("min_links", split.min_links);
    fields("seed", split.seed);
    fields("test_file", split.test_file);
    fields.newer("validation", split.validation);
}

} // namespace alxsim::alx
