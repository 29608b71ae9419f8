// SPDX-License-Identifier: Apache-2.0
#include "alx/data/found_format.h"
#include "alx/requests/config_request.h"
#include "alx/requests/dataset_request.h"
#include "alx/requests/mesh_request.h"
#include "alx/workload/dataset_statistics.h"
#include "alx/workload/notes/unlinked_notes.h"
#include "base/input_error.h"
#include "base/json_document.h"
#include "base/memory/host_memory.h"
#include "program/dataset/commands.h"
#include "program/dataset/dataset_files.h"

#include <filesystem>
#include <functional>
#include <iostream>

namespace alxsim::program {

using namespace alx;

namespace {

MatrixSummary summary_of(const DatasetFile& file)
{
    const MatrixRows rows = rows_of_file(file);
    const MatrixSize size = rows.size();
    refuse_beyond_memory(Bytes(sizeof(std::int64_t)) * (size.rows + size.columns),
                         host_memory_limit(), "the lengths of rows and columns", file.path, "");
    MatrixSummary summary(size);
    rows.for_each([&summary](const std::vector<std::int32_t>& ids) { summary.add(ids); });
    return summary;
}

int print_statistics(const DatasetFile& file, const StudyReader& reader)
{
    Json statistics{{"file", file.path}};
    if (std::filesystem::path(file.path).extension() == ".json") {
        const Json point = reader.first_point(file.path);
        const PointRequest first = point_request(point);
        const Dataset data = dataset_of(first, file.path);
        statistics["dataset"] = dataset_description(data, first.workload);
        const DeviceMesh mesh =
            mesh_of(first.workload.alx, reader.machine(point, file.path), file.path);
        const std::vector<std::string> notes = unlinked_notes(data, config_of(first), mesh);
        if (!notes.empty()) {
            statistics["notes"] = notes;
        }
        statistics.update(matrix_statistics(data.training));
    } else {
        const FoundFormat found =
            file.format.empty() ? found_format(file.path) : FoundFormat{file.format, ""};
        statistics["format"] = found.format;
        if (!found.why.empty()) {
            statistics["format_because"] = found.why;
        }
        if (const std::string words = how_read(file); !words.empty()) {
            statistics["read_as"] = words;
        }
        statistics.update(summary_of(file).statistics());
    }
    std::cout << statistics.dump(2) << "\n";
    return 0;
}

void add_stats(CLI::App& parent, Action& action, const StudyReader& reader)
{
    CLI::App* command = parent.add_subcommand(
        "stats", "Prints sizes, lengths of rows and columns, power laws and locality as JSON");
    auto file = std::make_shared<DatasetFile>();
    add_reading(*command, file);
    command->footer(std::string("\nOf a study (FILE.json): the training links of its first point, "
                                "read, filtered and split.\nThe field 'generate' is what a study's "
                                "dataset needs to make a matrix like this one.\n") +
                    formats_help);
    command->callback([file, reader, &action] {
        action = [file, reader] { return print_statistics(*file, reader); };
    });
}

struct ConvertRequest {
    std::shared_ptr<DatasetFile> file = std::make_shared<DatasetFile>();
    std::string output;
    Json filter = Json::object();
    bool transpose = false;
    std::optional<std::uint64_t> permute;
};

FilterConfig filter_config_of(const ConvertRequest& request)
{
    FilterConfig config = alx::filter_config_of(value_of_json<FilterRequest>(request.filter));
    config.same_nodes = holds_graph(*request.file, config.same_nodes);
    return config;
}

void convert_in_order(const ConvertRequest& request)
{
    const MatrixRows rows = rows_of_file(*request.file);
    const auto all = [&rows](const TakeRow& row) { rows.for_each(row); };
    if (request.filter.empty()) {
        write_rows("matrix", rows.size(), request.output, all);
        tell_new_ids(*request.file, request.output);
        return;
    }
    const FilteredRows left(rows.size(), all, filter_config_of(request));
    write_rows("matrix", left.size(), request.output,
               [&left](const TakeRow& row) { left.for_each(row); });
}

int convert(const ConvertRequest& request)
{
    if (!request.permute && !request.transpose) {
        convert_in_order(request);
        return 0;
    }
    const FilterConfig config = filter_config_of(request);
    SparseMatrix matrix = matrix_of_file(*request.file);
    const bool same_nodes = request.permute && has_same_nodes(size_of(matrix), config);
    if (!request.filter.empty()) {
        matrix = filter(std::move(matrix), config);
    }
    if (request.permute) {
        matrix = permute(matrix, same_nodes, *request.permute);
    }
    if (request.transpose) {
        matrix = transpose(matrix);
    }
    write_rows("matrix", size_of(matrix), request.output,
               [&matrix](const TakeRow& row) { for_each_row(matrix, row); });
    if (!request.permute && request.filter.empty()) {
        tell_new_ids(*request.file, request.output);
    }
    return 0;
}

/// Adds the options that become fields of a study's filter.
void add_filter(CLI::App& command, Json& filter)
{
    const auto number = [&](const char* option, const char* field, const char* help) {
        command
            .add_option_function<std::int64_t>(
                option, [&filter, field](std::int64_t value) { filter[field] = value; }, help)
            ->check(CLI::Range(std::int64_t{0}, most_ids));
    };
    const auto word = [&](const char* option, const char* field, const char* help,
                          const std::vector<std::string>& words) {
        command
            .add_option_function<std::string>(
                option, [&filter, field](const std::string& value) { filter[field] = value; }, help)
            ->check(CLI::IsMember(words));
    };
    number("--min-out", "min_out", "Drop rows with fewer links");
    number("--min-in", "min_in", "Drop columns with fewer links");
    number("--passes", "passes", "How often, at most (default: 1, as WebGraph)");
    word("--self-links", "self_links", "keep or drop", {"keep", "drop"});
    word("--nodes", "nodes",
         "same: a node has one id as row and column, and stays only with links both ways; "
         "separate (default: as the file says; must be said where it does not, and there are as "
         "many rows as columns)",
         {"same", "separate"});
}

void add_convert(CLI::App& parent, Action& action)
{
    CLI::App* command =
        parent.add_subcommand("convert", "Filters data and writes it in another form");
    auto request = std::make_shared<ConvertRequest>();
    add_reading(*command, request->file);
    command
        ->add_option("OUT", request->output,
                     "Written, by its name: .txt or .adj adjacency text; .tsv, .csv or .edges a "
                     "line per link; .mtx MatrixMarket; else a cache: about 1.5 bytes per link, "
                     "read ten times faster; gzip if it ends in .gz")
        ->required();
    add_filter(*command, request->filter);
    command->add_option("--permute", request->permute,
                        "SEED: new ids in random order, which takes locality away");
    command->add_flag("--transpose", request->transpose, "Rows become columns");
    command->footer(std::string("\nRows and columns that are dropped leave no gap: ids are given "
                                "anew, in the old order.\n\nExample:\n  alxsim dataset convert "
                                "cnr-2000.graph cnr-20.cache --min-out 20 --min-in 20\n") +
                    formats_help);
    command->callback([request, &action] { action = [request] { return convert(*request); }; });
}

struct GenerateRequest {
    Json fields = Json::object();
    std::string like;
    std::string output;
    std::uint64_t seed = 1;
};

int run_generate(const GenerateRequest& request)
{
    Json fields = request.fields;
    if (!request.like.empty()) {
        Json like = summary_of({request.like}).statistics().at("generate");
        like.update(fields);
        fields = like;
    }
    try {
        const GenerateConfig config =
            generate_config_of(value_of_json<alx::GenerateRequest>(fields));
        write_rows("generated", {config.rows, config.columns, config.links}, request.output,
                   [&](const TakeRow& row) { generate(config, request.seed, row); });
    } catch (const InputError& error) {
        // The same fields as in a study, here as options.
        const std::string pointer = "/workload/dataset/";
        std::string message = error.what();
        if (message.rfind(pointer, 0) == 0) {
            message.erase(0, pointer.size());
        }
        throw InputError("dataset", "", message);
    }
    return 0;
}

void add_generate(CLI::App& parent, Action& action)
{
    CLI::App* command =
        parent.add_subcommand("generate", "Makes up links with the statistics of a web");
    auto request = std::make_shared<GenerateRequest>();
    const auto number = [&](const char* option, const char* field, const char* help) {
        command->add_option_function<double>(
            option, [request, field](double value) { request->fields[field] = value; }, help);
    };
    number("--rows", "rows", "Rows, like 1e4");
    number("--columns", "columns", "Columns");
    number("--links", "links", "Links, all different");
    command->add_option_function<std::int64_t>(
        "--min-links", [request](std::int64_t value) { request->fields["min_links"] = value; },
        "Of a row (default: 1)");
    number("--row-exponent", "row_exponent", "Of the tail of row lengths (default: 2.2)");
    number("--column-exponent", "column_exponent", "Of the tail of column lengths (default: 2)");
    number("--locality", "locality",
           "Share of links whose column is within 1/32 of all columns of the row's own place "
           "(default: 0.8)");
    command->add_option("--like", request->like, "Take what is not given from this file's links");
    command->add_option("--seed", request->seed, "The same seed makes the same links")
        ->capture_default_str();
    command->add_option("-o,--output", request->output, "As OUT of 'dataset convert'")->required();
    command->footer("\nExamples:\n"
                    "  alxsim dataset generate --rows 1e4 --columns 8e3 --links 2e5 -o web.cache\n"
                    "  alxsim dataset generate --like adj.txt.gz --rows 1e6 --columns 1e6 --links "
                    "1e7 -o big.cache\n"
                    "A study can do the same: \"dataset\": {\"generate\": {\"rows\": 1e4, "
                    "\"columns\": 8e3, \"links\": 2e5}}\n");
    command->callback(
        [request, &action] { action = [request] { return run_generate(*request); }; });
}

} // namespace

void add_dataset(CLI::App& app, Action& action, const StudyReader& reader)
{
    CLI::App* command = app.add_subcommand(
        "dataset",
        "Looks at input data, numbers its names, converts, generates, splits and batches it, "
        "translates values of other libraries");
    command->require_subcommand(1);
    add_stats(*command, action, reader);
    add_convert(*command, action);
    add_generate(*command, action);
    add_dataset_split(*command, action);
    add_dataset_names(*command, action);
    add_dataset_batches(*command, action, reader);
    add_dataset_placements(*command, action, reader);
    add_dataset_translate(*command, action, reader);
}

} // namespace alxsim::program
