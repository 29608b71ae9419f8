// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/answers/calibrate/calibrate.h"
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

std::string source_of(const topologies::PresetValue& before, const std::vector<std::string>& points)
{
    return "Fitted: to " + join(points) + ", by the analytic model. Before, " +
           before.value.dump() + " (" + before.kind + "): " + before.source;
}

/// A fitted value stands by itself, within the limits that it had, or that the data leave it.
void write_fitted(Json& entry, const topologies::PresetValue& before, const Fitted& fitted,
                  const std::vector<std::string>& points)
{
    entry.erase("derived_from");
    entry["value"] = fitted.value;
    entry["low"] = fitted.known_low.value_or(fitted.low);
    entry["high"] = fitted.known_high.value_or(fitted.high);
    entry["source"] = source_of(before, points);
    entry["kind"] = "calibrated";
}

/// Whether `key` is derived from a value that was fitted.
bool follows(const topologies::Preset& preset, const std::string& key,
             const Calibration& calibration)
{
    topologies::KeyReads reads(preset.keys().size());
    preset.watched(reads).at(key);
    return std::any_of(
        calibration.values.begin(), calibration.values.end(),
        [&](const Fitted& value) { return value.key != key && preset.is_read(value.key, reads); });
}

} // namespace

Json calibrated_preset(const Calibration& calibration)
{
    const topologies::Preset before = topologies::Preset::load(calibration.chip);
    Json document = preset_document(calibration.chip);
    document["name"] = document.at("name").get<std::string>() + "_calibrated";
    document["title"] = document.at("title").get<std::string>() + ", calibrated";
    for (const Fitted& value : calibration.values) {
        write_fitted(document.at("values").at(value.key), before.at(value.key), value,
                     calibration.points);
    }
    for (auto& [key, entry] : document.at("values").items()) {
        // A figure as it is printed stays what it is, whatever it is made of by the fit.
        if (entry.contains("value") && entry.contains("derived_from") &&
            follows(before, key, calibration)) {
            entry.erase("derived_from");
        }
    }
    topologies::Preset::from_json(document, "calibrated preset"); // checks it
    return document;
}

} // namespace alxsim::experiments
