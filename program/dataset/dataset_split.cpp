// SPDX-License-Identifier: Apache-2.0
#include "alx/data/split.h"
#include "alx/data/test_file.h"
#include "alx/data/times/later_links.h"
#include "alx/files/packed_output.h"
#include "alx/requests/split_request.h"
#include "alx/table/link_time.h"
#include "base/file_output.h"
#include "program/dataset/commands.h"
#include "program/dataset/dataset_files.h"

#include <iostream>
#include <optional>

namespace alxsim::program {

using namespace alx;

namespace {

struct SplitCommand {
    std::shared_ptr<DatasetFile> file = std::make_shared<DatasetFile>();
    SplitConfig config;
    std::string kind = "rows";
    std::optional<double> at;
    std::int64_t links = LaterLinksConfig().last_links;
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
void write_parts(const SplitCommand& request, const MatrixRows& rows,
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
                    const TestRowLinks links = test_row_links(rank, ids, request.config);
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
int run_later_split(const SplitCommand& request, const CLI::App& command)
{
    alx::SplitRequest split; // as a study says it
    split.kind = request.kind;
    split.held_out_links = request.config.held_out_links;
    if (request.at) {
        split.at = *request.at;
    }
    split.links = request.links;
    split.min_links = request.config.min_links;
    split.seed = request.config.seed;
    if (command.count("--test-rows") > 0) {
        split.test_rows = request.config.test_rows;
    }
    const LaterLinksConfig config = later_links_config_of(split);
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
    const std::vector<std::int32_t> test_rows = test_rows_of(lengths, request.config);
    MatrixSize training = rows.size();
    for (const std::int32_t row : test_rows) {
        training.links -= lengths[static_cast<std::size_t>(row)];
    }
    write_parts(request, rows, test_rows, training);
    tell_new_ids(*request.file, request.training);
    return 0;
}

void check_options(const SplitCommand& request, const CLI::App& command)
{
    const auto refuse = [&](const char* option, const char* kind) {
        if (command.count(option) > 0 && request.kind != kind) {
            throw CLI::ValidationError(option, std::string("is for --kind ") + kind + ", not " +
                                                   request.kind);
        }
    };
    refuse("--at", "temporal");
    refuse("--links", "leave_out");
    if (request.kind == "leave_out" && command.count("--held-out-links") > 0) {
        throw CLI::ValidationError("--held-out-links",
                                   "is for --kind rows or temporal; of leave_out, --links");
    }
    if (request.kind == "rows" && request.config.min_links < 2) {
        throw CLI::ValidationError("--min-links", "of --kind rows is 2 or more");
    }
}

} // namespace

void add_dataset_split(CLI::App& parent, Action& action)
{
    CLI::App* command = parent.add_subcommand(
        "split", "Parts data into training links and test rows, as a study's split does");
    auto request = std::make_shared<SplitCommand>();
    add_reading(*command, request->file);
    command
        ->add_option("--kind", request->kind,
                     "rows: whole rows are test rows. temporal: links from one time on are to be "
                     "found. leave_out: each row's last links are")
        ->capture_default_str()
        ->check(CLI::IsMember({"rows", "temporal", "leave_out"}));
    command
        ->add_option("--test-rows", request->config.test_rows,
                     "Share of rows held out; of the other kinds all that have enough links, "
                     "unless given")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1.0));
    command
        ->add_option("--held-out-links", request->config.held_out_links,
                     "Share of a test row's links that are ground truth; of temporal, of all "
                     "links")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1.0));
    command
        ->add_option("--min-links", request->config.min_links,
                     "Rows with fewer are never test rows")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000000));
    command->add_option_function<std::string>(
        "--at",
        [request](const std::string& at) {
            request->at = link_time(at);
            if (!request->at) {
                throw CLI::ValidationError("--at", "found '" + at +
                                                       "'; allowed: a number as the file counts "
                                                       "time, or a date like 2017-06-01");
            }
        },
        "Of temporal: the time from which on links are to be found, in place of a share: a number, "
        "or of a file with dates or seconds since 1970 a date");
    command->add_option("--links", request->links, "Of leave_out: how many of a row")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000000));
    command->add_option("--seed", request->config.seed, "Which rows and links")
        ->capture_default_str();
    command->add_option("--training", request->training, "Written as OUT of 'dataset convert'")
        ->required();
    command
        ->add_option("--test", request->test,
                     "Written: lines 'row | history | ground truth'; gzip if it ends in .gz")
        ->required();
    command->footer("\nA study then says \"dataset\": {\"file\": TRAINING}, \"split\": "
                    "{\"test_file\": TEST}.\nSeparate test rows may have ids beyond the "
                    "training matrix.\n");
    command->callback([request, command, &action] {
        check_options(*request, *command);
        action = [request, command] {
            return request->kind == "rows" ? run_split(*request)
                                           : run_later_split(*request, *command);
        };
    });
}

} // namespace alxsim::program
