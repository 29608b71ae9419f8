// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/kept/shard.h"
#include "report/report_fields.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A point that a shard could not finish.
struct ShardFailure {
    std::size_t point = 0; ///< its number in the study
    std::string why;
    bool refused = false; ///< its input is bad
};

/// What a shard leaves beside the points that it keeps, for the merge.
struct ShardRecord {
    std::string version; ///< of the program that ran it
    std::string commit;
    Shard shard;
    Json study;                      ///< as run: with what the command line and the search have set
    std::string file;                ///< the study's; paths in the study are relative to its folder
    std::vector<std::size_t> points; ///< the numbers of its own
    std::vector<ShardFailure> failures;
    std::optional<report::SearchOutcome> search;
    report::Host host;
};

/// Where a run into `folder` keeps finished points, and a shard its record.
std::string kept_folder_of(const std::string& folder);

/// Written whole or not at all. Throws std::runtime_error if it cannot.
void write_shard_record(const std::string& folder, const ShardRecord& record);

/// Throws InputError for a folder without a whole one of this version of the program.
ShardRecord read_shard_record(const std::string& folder);

} // namespace alxsim::experiments
