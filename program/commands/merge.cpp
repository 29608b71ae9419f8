// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"
#include "experiments/runs/files/folder_lock.h"
#include "experiments/runs/kept/kept_points.h"
#include "experiments/runs/kept/point_outcome.h"
#include "experiments/runs/kept/shard_record.h"
#include "program/commands/commands.h"
#include "program/requests/study_report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <utility>

namespace alxsim::program {

using namespace experiments;

namespace {

struct MergeRequest {
    std::vector<std::string> folders;
    std::string output = "out";
    std::string study; ///< where the study's file is now
    bool quiet = false;
    bool strict = false;
    bool all_needed = false;
    bool compact = false;
};

/// A shard's folder, which nobody writes to meanwhile.
struct ShardFolder {
    explicit ShardFolder(const std::string& folder)
        : path(folder),
          lock(folder, "merge"),
          record(read_shard_record(folder)),
          kept(kept_folder_of(folder))
    {
    }

    std::string path;
    FolderLock lock;
    ShardRecord record;
    KeptPoints kept;
};

using ShardFolders = std::vector<std::unique_ptr<const ShardFolder>>;

std::string json_pointer_of_first_difference(const Json& a, const Json& b)
{
    return Json::diff(a, b).front().at("path").get<std::string>();
}

/// Throws InputError where a shard is not one of the first one's study and number.
void refuse_other(const ShardFolder& one, const ShardFolder& first)
{
    if (one.record.study != first.record.study) {
        const std::string place =
            json_pointer_of_first_difference(first.record.study, one.record.study);
        throw InputError(one.path, place,
                         "is not as in " + first.path +
                             "; allowed: shards of one study, with the same --set, --fidelity, "
                             "--given and --no-band");
    }
    if (one.record.shard.of != first.record.shard.of) {
        throw InputError(one.path, "",
                         "is shard " + one.record.shard.name() + "; allowed: shards of " +
                             std::to_string(first.record.shard.of) + ", as " + first.path + " is");
    }
    if (json_of(one.record.search) != json_of(first.record.search)) {
        throw InputError(one.path, "/search",
                         "found another outcome than " + first.path +
                             "; allowed: shards that had the same data");
    }
}

ShardFolders open_shards(const MergeRequest& request)
{
    ShardFolders shards;
    for (const std::string& folder : request.folders) {
        if (!std::filesystem::is_directory(folder)) {
            throw InputError(folder, "", "is no folder");
        }
        std::error_code none; // the output's is not there yet, perhaps
        for (const auto& other : shards) {
            if (std::filesystem::equivalent(folder, other->path, none)) {
                throw InputError(folder, "", "is named twice");
            }
        }
        if (std::filesystem::equivalent(folder, request.output, none)) {
            throw InputError("--output", folder, "is a shard; allowed: a folder of its own");
        }
        shards.push_back(std::make_unique<const ShardFolder>(folder));
        refuse_other(*shards.back(), *shards.front());
    }
    return shards;
}

/// "2/4, 4/4"; "" where none is missing.
std::string missing_shards(const ShardFolders& shards)
{
    std::set<int> there;
    for (const auto& shard : shards) {
        there.insert(shard->record.shard.index);
    }
    const int of = shards.front()->record.shard.of;
    std::vector<std::string> missing;
    for (int index = 1; index <= of; ++index) {
        if (there.count(index) == 0) {
            missing.push_back(Shard{index, of}.name());
        }
    }
    return join(missing);
}

/// Stands for a point that no shard has finished.
PointResult missing_point(std::size_t number, const PointSpec& point, const ShardFolders& shards)
{
    for (const auto& shard : shards) {
        for (const ShardFailure& failure : shard->record.failures) {
            if (failure.point == number) {
                return failure.refused ? refused_point(point, failure.why)
                                       : failed_point(point, failure.why);
            }
        }
    }
    for (const auto& shard : shards) {
        const std::vector<std::size_t>& own = shard->record.points;
        if (std::binary_search(own.begin(), own.end(), number)) {
            const bool damaged = shard->kept.find(number, point).damaged;
            return failed_point(point, "not run: shard " + shard->record.shard.name() + " in " +
                                           shard->path +
                                           (damaged ? " has it damaged" : " has not finished it"));
        }
    }
    return failed_point(point, "not run: it is in a shard that is missing (" +
                                   missing_shards(shards) + ")");
}

PointResult merged_point(std::size_t number, const PointSpec& point, const ShardFolders& shards)
{
    for (const auto& shard : shards) {
        if (std::optional<PointResult> result = shard->kept.find(number, point).result) {
            return std::move(*result);
        }
    }
    return missing_point(number, point, shards);
}

/// The shards' seconds together.
report::Host host_of(const ShardFolders& shards)
{
    report::Host host = shards.front()->record.host;
    host.wall_seconds = 0;
    for (const auto& shard : shards) {
        host.wall_seconds += shard->record.host.wall_seconds;
    }
    return host;
}

int merge(const MergeRequest& request)
{
    const ShardFolders shards = open_shards(request);
    const ShardRecord& first = shards.front()->record;
    StudyRun run{study_of(first.study, request.study.empty() ? first.file : request.study),
                 {},
                 {},
                 {},
                 first.search,
                 host_of(shards),
                 "allowed: shards that saw the same; run those of the other again, with --resume"};
    run.points = expand(run.study);
    run.assumptions = assumptions_of(run.points);
    for (std::size_t i = 0; i < run.points.size(); ++i) {
        run.results.push_back(merged_point(i, run.points[i], shards));
    }
    make_folder(request.output, "--output");
    const FolderLock lock(request.output, "--output");
    remove_begun_files(request.output);
    const int code = report_run(std::move(run),
                                {request.output, request.quiet, request.strict, request.all_needed,
                                 request.compact ? report::Form::compact : report::Form::full});
    if (const std::string missing = missing_shards(shards); !missing.empty()) {
        std::cerr << "alxsim: missing shards: " << missing << "\n";
    }
    return code;
}

} // namespace

void add_merge(CLI::App& app, Action& action)
{
    CLI::App* command =
        app.add_subcommand("merge", "Makes one report of the shards of a study (run --shard I/N)");
    auto request = std::make_shared<MergeRequest>();
    command->add_option("FOLDER", request->folders, "Where the shards wrote to")->required();
    command->add_option("-o,--output", request->output, "Folder for the report")
        ->capture_default_str();
    command->add_option("--study", request->study,
                        "The study's file, if it is not where the shards found it: chips that it "
                        "names by path are looked for beside it");
    command->add_flag("--compact", request->compact,
                      "report.json with points in columns, far smaller: for thousands of "
                      "points (all commands read it; 'alxsim report' makes either of the other)");
    command->add_flag("--strict", request->strict,
                      "Exit with 3, after all is written, if a hypothesis of the study's own is "
                      "refuted, or cannot be judged");
    command->add_flag("--fail-if-missing", request->all_needed,
                      "Exit with 3, after all is written, if a point has no time because it does "
                      "not fit into memory");
    command->add_flag("--quiet", request->quiet, "No notes on stderr; failed points are told");
    command->footer(
        "\nThe report is that of one run of the study, byte for byte, but for the host's seconds "
        "and threads. A point\nthat is missing or failed is named in it. The shards' folders stay "
        "as they are.\n"
        "Exit codes: 0 done; 1 points are missing or failed; 2 bad usage, other studies' shards, "
        "or bad input of a\npoint; 3 a hypothesis is refuted (--strict), a point does not fit "
        "(--fail-if-missing).\n");
    command->callback([request, &action] { action = [request] { return merge(*request); }; });
}

} // namespace alxsim::program
