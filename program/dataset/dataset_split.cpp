// SPDX-License-Identifier: Apache-2.0
#include "alx/data/split.h"
#include "alx/data/test_file.h"
#include "alx/files/packed_output.h"
#include "base/file_output.h"
#include "program/dataset/commands.h"
#include "program/dataset/dataset_files.h"

#include <iostream>

namespace alxsim::program {

using namespace alx;

namespace {

struct SplitRequest {
    std::shared_ptr<DatasetFile> file = std::make_shared<DatasetFile>();
    SplitConfig config;
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
void write_parts(const SplitRequest& request, const MatrixRows& rows,
                 const std::vector<std::int32_t>& test_rows, const MatrixSize& training)
{
    static const std::vector<std::int32_t> none;
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
                    test.write(test_line(row, links));
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

int run_split(const SplitRequest& request)
{
    const MatrixRows rows = rows_of_file(*request.file);
    const std::vector<std::int64_t> lengths = lengths_of(rows);
    const std::vector<std::int32_t> test_rows = test_rows_of(lengths, request.config);
    MatrixSize training = rows.size();
    for (const std::int32_t row : test_rows) {
        training.links -= lengths[static_cast<std::size_t>(row)];
    }
    write_parts(request, rows, test_rows, training);
    return 0;
}

} // namespace

void add_dataset_split(CLI::App& parent, Action& action)
{
    CLI::App* command = parent.add_subcommand(
        "split", "Parts data into training links and test rows, as a study's split does");
    auto request = std::make_shared<SplitRequest>();
    add_reading(*command, request->file);
    command->add_option("--test-rows", request->config.test_rows, "Share of rows held out")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1.0));
    command
        ->add_option("--held-out-links", request->config.held_out_links,
                     "Share of a test row's links that are ground truth")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1.0));
    command
        ->add_option("--min-links", request->config.min_links,
                     "Rows with fewer are never test rows")
        ->capture_default_str()
        ->check(CLI::Range(2, 1000000000));
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
    command->callback([request, &action] { action = [request] { return run_split(*request); }; });
}

} // namespace alxsim::program
