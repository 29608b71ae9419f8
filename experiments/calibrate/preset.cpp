// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/calibrate/calibrate.h"
#include "topologies/resources.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// The preset as its file has it.
Json preset_document(const std::string& chip)
{
    const std::vector<std::string> names = topologies::Preset::names();
    if (std::find(names.begin(), names.end(), chip) == names.end()) {
        return load_json(chip);
    }
    const std::string file = "presets/" + chip + ".json";
    return parse_json(topologies::resources().get(file), file);
}

std::string source_of(const Json& entry, const std::vector<std::string>& points)
{
    return "Fitted: to " + join(points) + ", by the analytic model. Before, " +
           entry.at("value").dump() + " (" + entry.at("kind").get<std::string>() +
           "): " + entry.at("source").get<std::string>();
}

} // namespace

Json calibrated_preset(const Calibration& calibration)
{
    Json document = preset_document(calibration.chip);
    document["name"] = document.at("name").get<std::string>() + "_calibrated";
    document["title"] = document.at("title").get<std::string>() + ", calibrated";
    for (const Fitted& value : calibration.values) {
        Json& entry = document.at("values").at(value.key);
        entry["source"] = source_of(entry, calibration.points);
        entry["value"] = value.value;
        entry["kind"] = "calibrated";
    }
    topologies::Preset::from_json(document, "calibrated preset"); // checks it
    return document;
}

} // namespace alxsim::experiments
