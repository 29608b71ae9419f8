// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/shard_record.h"

#include "base/durable.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "experiments/runs/files/checked_text.h"
#include "experiments/version.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace alxsim::experiments {

template <class Fields>
void list_fields(Fields& fields, ShardFailure& failure)
{
    fields("point", failure.point);
    fields("why", failure.why);
    fields.if_true("refused", failure.refused);
}

template <class Fields>
void list_fields(Fields& fields, ShardRecord& record)
{
    fields("version", record.version);
    fields("commit", record.commit);
    fields("shard", record.shard);
    fields("study", record.study);
    fields("file", record.file);
    fields("points", record.points);
    fields("failures", record.failures);
    fields("search", record.search);
    fields("host", record.host);
}

namespace {

std::string file_in(const std::string& folder)
{
    return kept_folder_of(folder) + "/shard";
}

} // namespace

std::string kept_folder_of(const std::string& folder)
{
    return folder + "/.finished-points";
}

void write_shard_record(const std::string& folder, const ShardRecord& record)
{
    std::filesystem::create_directories(kept_folder_of(folder));
    write_file_atomically(file_in(folder), with_checksum(json_of(record).dump()));
    sync_files({file_in(folder)});
}

ShardRecord read_shard_record(const std::string& folder)
{
    std::ifstream file(file_in(folder), std::ios::binary);
    if (!file) {
        throw InputError(folder, "",
                         "has no shard; allowed: folders that 'alxsim run --shard I/N' wrote to");
    }
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::optional<std::string> text = checked_text(bytes.str());
    if (!text) {
        throw InputError(file_in(folder), "",
                         "is damaged; run the shard again with --resume: finished points stay");
    }
    const Json json = parse_written_json(*text);
    if (json.at("version") != version || json.at("commit") != commit) {
        throw InputError(folder, "",
                         "is a shard by alxsim " + json.at("version").get<std::string>() + " (" +
                             json.at("commit").get<std::string>() + "); allowed: this program's " +
                             version + " (" + commit + ")");
    }
    return value_of_json<ShardRecord>(json);
}

} // namespace alxsim::experiments
