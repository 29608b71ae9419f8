// SPDX-License-Identifier: Apache-2.0
#include "alx/data/split.h"
#include "alx/data/test_file.h"
#include "alx/data/times/later_links.h"
#include "alx/files/packed_output.h"
#include "alx/requests/split_request.h"
#include "alx/table/link_time.h"
#include "base/file_output.h"
#include "base/text/printed.h"
#include "program/dataset/commands.h"
#include "program/dataset/dataset_files.h"

#include <iostream>
#include <optional>

namespace alxsim::program {

using namespace alx;

namespace {

struct SplitCommand {
    std::shared_ptr<DatasetFile> file = std::make_shared<DatasetFile>();
    alx::SplitRequest split; ///< as a study says it
    std::string training;
    std::string test;
};

std::vector<std::int64_t> lengths_of(const MatrixRows& rows)
{
    std::vector<std::int64_t> lengths;
    lengths.reserve(static_cast<std::size_t>(rows.size().rows));
    rows.for_each([&lengths](const std::vector<std::int32_t>& ids) {
        lengths.push_back(static_cast<std::int64_t>(ids.size()));
    });
    return lengths;
}

/// Both files, in one pass over the rows, so that the training file may take the place of the data.
/// Test rows are empty in it.
void write_parts(const SplitCommand& request, const SplitConfig& config, const MatrixRows& rows,
                 const std::vector<std::int32_t>& test_rows, const MatrixSize& training)
{
    static const std::vector<std::int32_t> none;
    const std::int64_t first = first_written_id(request.training);
    std::size_t history = 0;
    std::size_t ground_truth = 0;
    write_file_atomically(request.test, [&](std::ostream& file) {
        PackedOutput test(file, request.test);
        write_rows("training", training, request.training, [&](const TakeRow& write) {
            std::int32_t row = 0;
            std::int32_t rank = 0;
            auto next = test_rows.begin();
            rows.for_each([&](const std::vector<std::int32_t>& ids) {
                const bool held_out = next != test_rows.end() && *next == row;
                if (held_out) {
                    const TestRowLinks links = test_row_links(rank, ids, config);
                    history += links.history.size();
                    ground_truth += links.ground_truth.size();
                    test.write(test_line(row, links, first));
                    ++next;
                }
                write(held_out ? none : ids);
                ++row;
                rank += ids.empty() ? 0 : 1;
            });
        });
        test.finish();
    });
    std::cout << "test: " << test_rows.size() << " rows, " << history << " links of history, "
              << ground_truth << " of ground truth -> " << request.test << "\n";
}

/// Links of test rows are trained on but for those to be found, which are later.
int run_later_split(const SplitCommand& request)
{
    const LaterLinksConfig config = later_links_config_of(request.split);
    const SparseMatrix matrix = matrix_of_file(*request.file);
    const bool by_time = config.at_one_time || tells_link_times(*request.file);
    const Dataset data =
        hold_out_later_links(matrix, by_time ? link_times(*request.file, matrix, {}) : LinkTimes{},
                             config)
            .data;
    write_file_atomically(request.test, [&](std::ostream& file) {
        PackedOutput test(file, request.test);
        for (std::size_t i = 0; i < data.test_rows.size(); ++i) {
            const auto place = static_cast<std::int32_t>(i);
            test.write(test_line(data.test_rows[i],
                                 {data.history.ids(place), data.ground_truth.ids(place)},
                                 first_written_id(request.training)));
        }
        test.finish();
    });
    write_rows("training", size_of(data.training), request.training,
               [&](const TakeRow& write) { for_each_row(data.training, write); });
    std::cout << "test: " << data.split_as << " -> " << request.test << "\n";
    tell_new_ids(*request.file, request.training);
    return 0;
}

int run_split(const SplitCommand& request)
{
    const MatrixRows rows = rows_of_file(*request.file);
    const std::vector<std::int64_t> lengths = lengths_of(rows);
    const SplitConfig config = split_config_of(request.split);
    const std::vector<std::int32_t> test_rows = test_rows_of(lengths, config);
    MatrixSize training = rows.size();
    for (const std::int32_t row : test_rows) {
        training.links -= lengths[static_cast<std::size_t>(row)];
    }
    write_parts(request, config, rows, test_rows, training);
    tell_new_ids(*request.file, request.training);
    return 0;
}

void check_options(const alx::SplitRequest& split)
{
    const std::string kind = split.kind.value_or("rows");
    const auto refuse = [&](const char* option, bool is_there, const char* of_kind) {
        if (is_there && kind != of_kind) {
            throw CLI::ValidationError(option,
                                       std::string("is for --kind ") + of_kind + ", not " + kind);
        }
    };
    refuse("--at", split.at.has_value(), "temporal");
    refuse("--links", split.links.has_value(), "leave_out");
    if (kind == "leave_out" && split.held_out_links) {
        throw CLI::ValidationError("--held-out-links",
                                   "is for --kind rows or temporal; of leave_out, --links");
    }
    if (holds_out_rows(split) && alx::test_row_links(split) < 2) {
        throw CLI::ValidationError("--min-links", "of --kind rows is 2 or more");
    }
}

/// The fields of a study's split, as options.
void add_split(CLI::App& command, alx::SplitRequest& split)
{
    const SplitConfig rows;
    command
        .add_option("--kind", split.kind,
                    "rows: whole rows are test rows. temporal: links from one time on are to be "
                    "found. leave_out: each row's last links are")
        ->default_str("rows")
        ->check(CLI::IsMember({"rows", "temporal", "leave_out"}));
    command
        .add_option("--test-rows", split.test_rows,
                    "Share of rows held out; of the other kinds all that have enough links, "
                    "unless given")
        ->default_str(printed("%g", rows.test_rows))
        ->check(CLI::Range(0.0, 1.0));
    command
        .add_option("--held-out-links", split.held_out_links,
                    "Share of a test row's links that are ground truth; of temporal, of all links")
        ->default_str(printed("%g", rows.held_out_links))
        ->check(CLI::Range(0.0, 1.0));
    command.add_option("--min-links", split.min_links, "Rows with fewer are never test rows")
        ->default_str(std::to_string(rows.min_links))
        ->check(CLI::Range(1, 1000000000));
    command.add_option_function<std::string>(
        "--at",
        [&split](const std::string& at) {
            const std::optional<double> time = link_time(at);
            if (!time) {
                throw CLI::ValidationError("--at", "found '" + at +
                                                       "'; allowed: a number as the file counts "
                                                       "time, or a date like 2017-06-01");
            }
            split.at = *time;
        },
        "Of temporal: the time from which on links are to be found, in place of a share: a number, "
        "or of a file with dates or seconds since 1970 a date");
    command.add_option("--links", split.links, "Of leave_out: how many of a row")
        ->default_str(std::to_string(LaterLinksConfig().last_links))
        ->check(CLI::Range(1, 1000000000));
    command.add_option("--seed", split.seed, "Which rows and links")
        ->default_str(std::to_string(rows.seed));
}

} // namespace

void add_dataset_split(CLI::App& parent, Action& action)
{
    CLI::App* command = parent.add_subcommand(
        "split", "Parts data into training links and test rows, as a study's split does");
    auto request = std::make_shared<SplitCommand>();
    add_reading(*command, request->file);
    add_split(*command, request->split);
    command->add_option("--training", request->training, "Written as OUT of 'dataset convert'")
        ->required();
    command
        ->add_option("--test", request->test,
                     "Written: lines 'row | history | ground truth'; gzip if it ends in .gz")
        ->required();
    command->footer("\nA study then says \"dataset\": {\"file\": TRAINING}, \"split\": "
                    "{\"test_file\": TEST}.\nSeparate test rows may have ids beyond the "
                    "training matrix.\n");
    command->callback([request, &action] {
        check_options(request->split);
        action = [request] {
            return holds_out_rows(request->split) ? run_split(*request) : run_later_split(*request);
        };
    });
}

} // namespace alxsim::program
