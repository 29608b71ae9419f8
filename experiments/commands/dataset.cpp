// SPDX-License-Identifier: Apache-2.0
#include "alx/adjacency_reader.h"
#include "base/json_document.h"
#include "experiments/commands/commands.h"

#include <algorithm>
#include <iostream>

namespace alxsim::experiments {
namespace {

Json side_statistics(const alx::SparseMatrix& matrix)
{
    std::vector<std::int64_t> lengths;
    for (std::int32_t row : alx::linked_rows(matrix)) {
        lengths.push_back(matrix.length(row));
    }
    std::sort(lengths.begin(), lengths.end());
    const auto percentile = [&](double share) {
        return lengths.empty() ? 0
                               : lengths[static_cast<std::size_t>(
                                     share * static_cast<double>(lengths.size() - 1))];
    };
    return {{"linked", lengths.size()},
            {"mean_length", lengths.empty() ? 0.0
                                            : static_cast<double>(matrix.links()) /
                                                  static_cast<double>(lengths.size())},
            {"median_length", percentile(0.5)},
            {"length_at_90_percent", percentile(0.9)},
            {"length_at_99_percent", percentile(0.99)},
            {"longest", lengths.empty() ? 0 : lengths.back()}};
}

int print_statistics(const std::string& path)
{
    const alx::SparseMatrix matrix = alx::read_adjacency(path);
    const Json statistics{{"file", path},
                          {"rows", matrix.rows},
                          {"columns", matrix.columns},
                          {"links", matrix.links()},
                          {"row_lengths", side_statistics(matrix)},
                          {"column_lengths", side_statistics(alx::transpose(matrix))}};
    std::cout << statistics.dump(2) << "\n";
    return 0;
}

} // namespace

void add_dataset(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("dataset", "Looks at input data");
    command->require_subcommand(1);
    CLI::App* stats =
        command->add_subcommand("stats", "Prints sizes and lengths of rows and columns as JSON");
    auto path = std::make_shared<std::string>();
    stats
        ->add_option("FILE", *path,
                     "Adjacency text, plain or gz: 'row column column ...' per line, ids from 0")
        ->required();
    stats->callback([path, &action] { action = [path] { return print_statistics(*path); }; });
}

} // namespace alxsim::experiments
