// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/kept_points.h"

#include "base/durable.h"
#include "base/file_output.h"
#include "experiments/processes/checked_text.h"
#include "experiments/version.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace alxsim::experiments {
namespace {

/// Which point, of which program.
struct Key {
    std::string version;
    std::string commit;
    Json study; ///< in the schema's order, defaults filled in
};

template <class Fields>
void list_fields(Fields& fields, Key& key)
{
    fields("version", key.version);
    fields("commit", key.commit);
    fields("study", key.study);
}

struct Kept {
    Key key;
    PointResult result;
};

template <class Fields>
void list_fields(Fields& fields, Kept& kept)
{
    fields("key", kept.key);
    list_fields(fields, kept.result);
}

Key key_of(const PointSpec& point)
{
    return {version, commit, point.study.document};
}

} // namespace

std::string KeptPoints::file_of(std::size_t index) const
{
    return folder_ + "/" + std::to_string(index) + ".json";
}

KeptPoints::Found KeptPoints::find(std::size_t index, const PointSpec& point) const
{
    if (folder_.empty()) {
        return {};
    }
    std::ifstream file(file_of(index), std::ios::binary);
    if (!file) {
        return {};
    }
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::optional<std::string> text = checked_text(bytes.str());
    if (!text) {
        return {std::nullopt, true};
    }
    const Json kept = Json::parse(*text);
    if (kept.at("key") != json_of(key_of(point))) {
        return {}; // by another program, perhaps: its fields are not ours
    }
    return {value_of_json<Kept>(kept).result, false};
}

void KeptPoints::keep(std::size_t index, const PointSpec& point, const std::string& result)
{
    if (folder_.empty()) {
        return;
    }
    std::filesystem::create_directories(folder_);
    std::error_code ignored;
    // A checkpoint stays until the point itself outlasts the machine.
    const bool long_work = std::filesystem::exists(checkpoint_of(index), ignored);
    // The fields of `Kept`: the key, then those of the result.
    write_file_atomically(
        file_of(index),
        with_checksum("{\"key\":" + json_of(key_of(point)).dump() + "," + result.substr(1)),
        long_work ? OnDisk::at_once : OnDisk::later);
    unsynced_.push_back(file_of(index));
    std::filesystem::remove(checkpoint_of(index), ignored);
}

void KeptPoints::sync()
{
    const Clock::time_point begin = Clock::now();
    sync_files(unsynced_);
    unsynced_.clear();
    const Clock::time_point end = Clock::now();
    next_sync_ = end + std::max<Clock::duration>(std::chrono::seconds(1), 9 * (end - begin));
}

void KeptPoints::sync_now_and_then()
{
    if (!unsynced_.empty() && Clock::now() >= next_sync_) {
        sync();
    }
}

std::string KeptPoints::checkpoint_of(std::size_t index) const
{
    if (folder_.empty()) {
        return "";
    }
    std::filesystem::create_directories(folder_);
    return folder_ + "/" + std::to_string(index) + ".checkpoint";
}

std::string KeptPoints::hbm_rates_file() const
{
    if (folder_.empty()) {
        return "";
    }
    std::filesystem::create_directories(folder_);
    return folder_ + "/hbm_rates";
}

void KeptPoints::discard() const
{
    if (!folder_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
}

} // namespace alxsim::experiments
