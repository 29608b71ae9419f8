// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/filtered_rows.h"
#include "alx/data/generator/generate.h"
#include "base/json_fields.h"
#include "base/schema/field_words.h"

#include <cstdint>
#include <optional>
#include <string>

/// What a study says of ALX's data, as types: `workload.dataset` and `workload.split`, defaults
/// filled in. What is absent is what depends on other fields.
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
    std::int64_t min_links = GenerateConfig().min_links;
    double row_exponent = GenerateConfig().row_exponent;
    double column_exponent = GenerateConfig().column_exponent;
    double locality = GenerateConfig().locality;
};

struct FilterRequest {
    std::int64_t min_out = FilterConfig().min_out;
    std::int64_t min_in = FilterConfig().min_in;
    std::int64_t passes = FilterConfig().passes;
    std::string self_links = "keep";
    std::optional<std::string> nodes;
};

struct NamesRequest {
    std::optional<std::string> rows; ///< files
    std::optional<std::string> columns;
};

/// Columns of a table by the names in its first line.
struct ColumnsRequest {
    std::optional<std::string> user;
    std::optional<std::string> item;
    std::optional<std::string> rating;
    std::optional<std::string> time;
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
    std::optional<ColumnsRequest> fields;
    std::optional<NamesRequest> names;
    std::optional<FilterRequest> filter;
};

/// Either a test file or what its kind takes; `validation` with any.
struct SplitRequest {
    std::optional<std::string> kind;
    std::optional<double> test_rows;
    std::optional<double> held_out_links;
    std::optional<std::int64_t> min_links;
    std::optional<std::uint64_t> seed;
    std::optional<Json> at; ///< a number, or a date
    std::optional<std::int64_t> links;
    std::optional<std::string> order;
    std::optional<std::string> test_file;
    bool validation = false;
};

constexpr FieldLimits lines_of_a_matrix = limits::and_at_most(limits::above(0), 1e13);
constexpr FieldLimits links_of_a_matrix = limits::and_at_most(limits::above(0), 1e15);
constexpr const char* locality_words =
    "Share of links whose column is within 1/32 of all columns of the row's own place.";

template <class Fields>
void list_fields(Fields& fields, ShapeRequest& shape)
{
    fields("rows", shape.rows, "How many; 1e9 or 1000000000.", lines_of_a_matrix);
    fields("columns", shape.columns, "How many.", lines_of_a_matrix);
    fields("links", shape.links, "How many, of all rows together.", links_of_a_matrix);
    fields.newer("min_links", shape.min_links, "Of a row.", limits::amount);
    fields("row_exponent", shape.row_exponent,
           "Left out: what gives rows the mean length that rows and links say.", limits::above(1));
    fields("column_exponent", shape.column_exponent, "The same of columns.", limits::above(1));
    fields("longest_row", shape.longest_row,
           "Links of the longest row. Left out: taken to be 1e6, or as many as there are columns.",
           limits::between(1, 1e13));
    fields("longest_column", shape.longest_column,
           "Links of the longest column. Left out: taken to be 1e6, or as many as there are rows.",
           limits::between(1, 1e13));
    fields("locality", shape.locality, locality_words, limits::share_of_one);
}

template <class Fields>
void list_fields(Fields& fields, GenerateRequest& generate)
{
    fields("rows", generate.rows, "How many; 1e6 or 1000000.", lines_of_a_matrix);
    fields("columns", generate.columns, "How many.", lines_of_a_matrix);
    fields("links", generate.links, "How many, of all rows together.", links_of_a_matrix);
    fields.newer("min_links", generate.min_links, "Of a row.", limits::amount);
    fields.newer("row_exponent", generate.row_exponent, "Of the tail of row lengths.",
                 limits::above(1));
    // 2.0, not 2, as reports have had it.
    fields.newer("column_exponent", generate.column_exponent, "Of the tail of column lengths.",
                 limits::and_keywords(limits::above(1), R"({"default": 2.0})"));
    fields.newer("locality", generate.locality, locality_words, limits::share_of_one);
}

template <class Fields>
void list_fields(Fields& fields, FilterRequest& filter)
{
    fields.newer("min_out", filter.min_out, "Links that a row must have.", limits::amount);
    fields.newer("min_in", filter.min_in, "Links that a column must have.", limits::amount);
    fields.newer("passes", filter.passes, "How often rows and columns are looked at.",
                 limits::at_least(1));
    fields.newer("self_links", filter.self_links, "Links of a node to itself.",
                 limits::one_of("keep|drop"));
    fields("nodes", filter.nodes,
           "Whether rows and columns are the same nodes, which then stay or go together. Left "
           "out: as the file says (a bvgraph, a symmetric matrix, columns named source and target "
           ".., or user and item ..).",
           limits::one_of("same|separate"));
}

} // namespace alxsim::alx
