// SPDX-License-Identifier: Apache-2.0
#include "experiments/kept_points.h"

#include "base/input_error.h"
#include "experiments/version.h"

#include <filesystem>

namespace alxsim::experiments {
namespace {

Json key_of(const PointSpec& point)
{
    return {{"version", version}, {"commit", commit}, {"study", point.study}};
}

} // namespace

std::string KeptPoints::file_of(std::size_t index) const
{
    return folder_ + "/" + std::to_string(index) + ".json";
}

std::optional<PointResult> KeptPoints::find(std::size_t index, const PointSpec& point) const
{
    if (folder_.empty() || !std::filesystem::exists(file_of(index))) {
        return std::nullopt;
    }
    const Json kept = load_json(file_of(index));
    if (kept.at("key") != key_of(point)) {
        return std::nullopt;
    }
    return PointResult{kept.at("point"), kept.at("dataset"), kept.at("assumptions")};
}

void KeptPoints::keep(std::size_t index, const PointSpec& point, const PointResult& result) const
{
    if (folder_.empty()) {
        return;
    }
    std::filesystem::create_directories(folder_);
    const Json kept{{"key", key_of(point)},
                    {"point", result.point},
                    {"dataset", result.dataset},
                    {"assumptions", result.assumptions}};
    write_file_atomically(file_of(index), kept.dump());
    std::error_code ignored;
    std::filesystem::remove(checkpoint_of(index), ignored);
}

std::string KeptPoints::checkpoint_of(std::size_t index) const
{
    if (folder_.empty()) {
        return "";
    }
    std::filesystem::create_directories(folder_);
    return folder_ + "/" + std::to_string(index) + ".checkpoint";
}

void KeptPoints::remove_parts() const
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
        if (entry.path().filename().string().find(".part") != std::string::npos) {
            std::filesystem::remove(entry.path(), ignored);
        }
    }
}

void KeptPoints::discard() const
{
    if (!folder_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
}

} // namespace alxsim::experiments
