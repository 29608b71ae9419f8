// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/against_preset.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/study/machine_request.h"
#include "report/words.h"

#include <algorithm>
#include <map>
#include <utility>

namespace alxsim::experiments {
namespace {

using report::Point;

const std::string swept_preset = "/machine/overrides";

/// What a sweep sets in the preset, by its keys, and what it sets elsewhere.
struct SweptParts {
    Settings of_preset;
    Settings others;
    bool sweeps_preset = false;
};

SweptParts parts_of(const Settings& sweep)
{
    SweptParts parts;
    for (const auto& [pointer, value] : sweep) {
        if (pointer == swept_preset && value.is_object()) {
            parts.sweeps_preset = true;
            for (const auto& [key, one] : value.items()) {
                parts.of_preset.set(key, one);
            }
        } else if (pointer.rfind(swept_preset + "/", 0) == 0) {
            parts.sweeps_preset = true;
            parts.of_preset.set(pointer.substr(swept_preset.size() + 1), value);
        } else {
            parts.others.set(pointer, value);
        }
    }
    return parts;
}

/// Which values a preset has itself, each looked up once.
class OwnValues {
public:
    /// `study`: a point's, or null where it is not there.
    bool are(const Settings& of_preset, const PointStudy* study)
    {
        return std::all_of(of_preset.begin(), of_preset.end(), [&](const auto& one) {
            const auto& [key, value] = one;
            return value == "x1" || value == "x1.0" || (study && of(key, *study) == value);
        });
    }

private:
    const Json& of(const std::string& key, const PointStudy& study)
    {
        const auto [known, is_new] =
            values_.emplace(std::pair(study.machine.chip.value_or(""), key), Json());
        if (is_new) {
            MachineRequest request = study.machine;
            request.overrides.clear();
            try {
                known->second = machine_of(request, study.file).preset.at(key).value;
            } catch (const InputError&) { // it is not known, then
            }
        }
        return known->second;
    }

    std::map<std::pair<std::string, std::string>, Json> values_;
};

} // namespace

std::optional<PresetSweep> against_preset(const std::vector<std::size_t>& fitting,
                                          const std::vector<Point>& points,
                                          const std::vector<PointSpec>& specs)
{
    const auto key_of = [&](std::size_t index) { // what else sets a point apart
        return parts_of(points.at(index).sweep).others.to_json().dump();
    };
    const auto seconds = [&](std::size_t index) { return points.at(index).seconds(); };
    std::map<std::string, std::size_t> own; // the points with the preset's values
    std::optional<std::size_t> fastest;
    OwnValues values;
    for (const std::size_t index : fitting) {
        const SweptParts parts = parts_of(points.at(index).sweep);
        const PointStudy* const study = specs.empty() ? nullptr : &specs.at(index).study;
        if (parts.sweeps_preset && values.are(parts.of_preset, study)) {
            own.emplace(key_of(index), index);
            fastest = fastest && seconds(*fastest) <= seconds(index) ? *fastest : index;
        }
    }
    if (!fastest) {
        return std::nullopt;
    }
    PresetSweep found{*fastest, {}};
    for (const std::size_t index : fitting) {
        const auto base = own.find(key_of(index));
        if (base != own.end() && base->second != index) {
            found.others.push_back(
                {points.at(index).sweep, seconds(index), seconds(index) / seconds(base->second)});
        }
    }
    return found;
}

void tell(Document& document, const std::vector<AgainstPreset>& others)
{
    constexpr std::size_t most = 12;
    if (others.empty()) {
        return;
    }
    document.paragraph("Against the preset's values:");
    for (std::size_t i = 0; i < std::min(most, others.size()); ++i) {
        const SweptParts parts = parts_of(others[i].sweep);
        Settings told = parts.others;
        told.set(parts.of_preset);
        document.item(settings_in_words(told) + ": " + printed("%.3g", others[i].ratio) +
                      " times as long (" + report::seconds_in_words(others[i].seconds) + ").");
    }
    if (others.size() > most) {
        document.item("and " + std::to_string(others.size() - most) + " more (all: --json).");
    }
}

} // namespace alxsim::experiments
