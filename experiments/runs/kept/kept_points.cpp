// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/kept_points.h"

#include "experiments/runs/files/checked_text.h"
#include "experiments/version.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace alxsim::experiments {
namespace {

constexpr const char* log_name = "/points";

/// A line's text, but for its checksum: the point's number, then a JSON object whose first field is
/// this, and whose others are the result's. Which point it is, of which program; the study in the
/// schema's order, defaults filled in.
std::string beginning_of(std::size_t index, const PointSpec& point)
{
    return std::to_string(index) + " {\"version\":" + Json(version).dump() +
           ",\"commit\":" + Json(commit).dump() + ",\"study\":" + document_text(point) + ",";
}

/// Reads the number of a line, whole or not; nothing if it was torn before its end.
std::optional<std::size_t> number_in(const std::string& line)
{
    const std::size_t begin = line.find(' ') + 1;
    const std::size_t end = line.find(' ', begin);
    std::size_t number = 0;
    if (begin == 0 || end == std::string::npos ||
        std::from_chars(&line[begin], &line[end], number).ptr != &line[end]) {
        return std::nullopt;
    }
    return number;
}

} // namespace

std::string KeptPoints::log_file() const
{
    return folder_ + log_name;
}

const std::string& KeptPoints::made_folder() const
{
    if (!made_) {
        std::filesystem::create_directories(folder_);
        made_ = true;
    }
    return folder_;
}

const std::multimap<std::size_t, KeptPoints::Line>& KeptPoints::lines() const
{
    if (lines_) {
        return *lines_;
    }
    lines_.emplace();
    std::ifstream file(log_file(), std::ios::binary);
    std::streamoff begin = 0;
    for (std::string line; std::getline(file, line);) {
        if (const std::optional<std::size_t> number = number_in(line)) {
            lines_->insert({*number, {begin, line.size()}});
        }
        begin += static_cast<std::streamoff>(line.size()) + 1;
    }
    return *lines_;
}

KeptPoints::Found KeptPoints::find(std::size_t index, const PointSpec& point) const
{
    Found found;
    if (folder_.empty()) {
        return found;
    }
    const std::string beginning = beginning_of(index, point);
    const auto [first, last] = lines().equal_range(index);
    std::ifstream file(log_file(), std::ios::binary);
    for (auto line = last; line != first && !found.result;) {
        --line;
        std::string bytes(line->second.size, '\0');
        file.seekg(line->second.begin);
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        const std::optional<std::string> text = checked_text(bytes);
        if (!text) {
            found.damaged = true;
        } else if (text->compare(0, beginning.size(), beginning) == 0) {
            found.result = value_of_json<PointResult>(
                parse_written_json("{" + text->substr(beginning.size())));
            found.damaged = false;
        } // else by another program, perhaps: its fields are not ours
    }
    return found;
}

void KeptPoints::keep(std::size_t index, const PointSpec& point, const std::string& result)
{
    if (folder_.empty()) {
        return;
    }
    if (!log_) {
        log_.emplace(made_folder() + log_name);
    }
    log_->append(with_checksum(beginning_of(index, point) + result.substr(1)));
    lines_.reset();
    synced_ = false;
    std::error_code ignored;
    // A checkpoint stays until the point itself outlasts the machine.
    if (std::filesystem::exists(checkpoint_of(index), ignored)) {
        log_->sync();
        std::filesystem::remove(checkpoint_of(index), ignored);
    }
}

void KeptPoints::sync()
{
    const Clock::time_point begin = Clock::now();
    if (!synced_) {
        log_->sync();
        synced_ = true;
    }
    const Clock::time_point end = Clock::now();
    next_sync_ = end + std::max<Clock::duration>(std::chrono::seconds(1), 9 * (end - begin));
}

void KeptPoints::sync_now_and_then()
{
    if (!synced_ && Clock::now() >= next_sync_) {
        sync();
    }
}

std::string KeptPoints::checkpoint_of(std::size_t index) const
{
    if (folder_.empty()) {
        return "";
    }
    return made_folder() + "/" + std::to_string(index) + ".checkpoint";
}

std::string KeptPoints::hbm_rates_file() const
{
    if (folder_.empty()) {
        return "";
    }
    return made_folder() + "/hbm_rates";
}

void KeptPoints::discard() const
{
    if (!folder_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        made_ = false;
    }
}

} // namespace alxsim::experiments
