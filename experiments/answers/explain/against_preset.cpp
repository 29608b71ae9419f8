// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/against_preset.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/study/machine_request.h"
#include "report/words.h"

#include <algorithm>

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

/// The value that a study's preset has itself; null where that cannot be read.
Json own_value(const std::string& key, const PointStudy& study)
{
    MachineRequest request = study.machine;
    request.overrides.clear();
    request.faults.reset();
    try {
        return machine_of(request, study.file).preset.at(key).value;
    } catch (const InputError&) {
        return {};
    }
}

bool has_own_values(const Settings& of_preset, const PointStudy* study)
{
    return std::all_of(of_preset.begin(), of_preset.end(), [&](const auto& one) {
        const auto& [key, value] = one;
        return value == "x1" || value == "x1.0" ||
               (study != nullptr && own_value(key, *study) == value);
    });
}

} // namespace

std::optional<PresetSweep> against_preset(const std::vector<std::size_t>& fitting,
                                          const std::vector<Point>& points,
                                          const std::vector<PointSpec>& specs)
{
    std::vector<std::size_t> own; // with the preset's values
    for (const std::size_t index : fitting) {
        const SweptParts parts = parts_of(points.at(index).sweep);
        const PointStudy* const study = specs.empty() ? nullptr : &specs.at(index).study;
        if (parts.sweeps_preset && has_own_values(parts.of_preset, study)) {
            own.push_back(index);
        }
    }
    if (own.empty()) {
        return std::nullopt;
    }
    const auto seconds = [&](std::size_t index) { return points.at(index).seconds(); };
    PresetSweep found;
    found.point = *std::min_element(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
        return seconds(a) < seconds(b);
    });
    for (const std::size_t index : fitting) {
        const Settings others = parts_of(points.at(index).sweep).others;
        const auto base = std::find_if(own.begin(), own.end(), [&](std::size_t one) {
            return parts_of(points.at(one).sweep).others == others;
        });
        if (base != own.end() && *base != index) {
            found.others.push_back(
                {points.at(index).sweep, seconds(index), seconds(index) / seconds(*base)});
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
