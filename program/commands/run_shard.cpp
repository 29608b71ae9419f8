// SPDX-License-Identifier: Apache-2.0
#include "program/commands/run_shard.h"

#include "experiments/runs/kept/shard_record.h"
#include "experiments/runs/progress/point_cost.h"
#include "experiments/version.h"

#include <filesystem>
#include <iostream>

namespace alxsim::program {

using namespace experiments;

int run_shard(const Shard& shard, const StudyRun& run, const std::string& folder,
              RunnerOptions options, Executor& executor)
{
    ShardRecord record{version,
                       commit,
                       shard,
                       run.study.document,
                       std::filesystem::absolute(run.study.file).string(),
                       points_of(shard, predicted_seconds(run.points)),
                       {},
                       run.search,
                       run.host};
    // At once: what is finished counts, however this ends.
    write_shard_record(folder, record);
    std::vector<PointSpec> own;
    for (const std::size_t number : record.points) {
        own.push_back(run.points[number]);
    }
    options.numbers = record.points;
    const RunClock clock;
    const std::vector<PointResult> results =
        own.empty() ? std::vector<PointResult>{} : run_points(own, options, executor);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (const auto& error = results[i].point.error) {
            record.failures.push_back({record.points[i], *error, results[i].refused});
        }
    }
    record.host.wall_seconds += clock.seconds();
    write_shard_record(folder, record);
    std::cout << "Shard " << shard.name() << ": " << own.size() - record.failures.size() << " of "
              << own.size() << " points of its own are in " << folder << " (the study has "
              << run.points.size()
              << "). When all shards are done: alxsim merge FOLDER ... -o out\n";
    const Failures failures = failures_of(own, results);
    std::cerr << failures.words;
    return failures.exit_code;
}

} // namespace alxsim::program
