// SPDX-License-Identifier: Apache-2.0
#include "program/serve/controls.h"

#include "experiments/answers/advise/space.h"
#include "experiments/answers/explain/what_ifs.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/points/uncertainty/uncertainty.h"
#include "program/serve/curve.h"
#include "topologies/preset.h"
#include "workloads/registry.h"

#include <algorithm>
#include <cmath>

namespace alxsim::program {

using namespace experiments;

namespace {

const std::string overrides = "/machine/overrides/";
constexpr const char* cores_pointer = "/machine/cores";

/// How far a slider goes of a value that has no band.
constexpr double what_if = 4;

/// A point that can be run, and its job.
struct Sample {
    PointSpec spec;
    RebuiltPoint point;
};

/// The middle one of those that fit, else of those that can be built.
Sample sample_of(const std::vector<PointSpec>& specs)
{
    std::vector<std::size_t> order(specs.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = (specs.size() / 2 + i) % specs.size();
    }
    std::optional<Sample> large;
    std::string why;
    for (const std::size_t i : order) {
        PointSpec spec = specs[i];
        try {
            spec.study = for_point(
                spec, [&] { return changed(spec.study, analytic_settings(spec.study.band)); });
            Sample sample{spec, for_point(spec, [&] { return rebuild(spec.study); })};
            if (sample.point.fits) {
                return sample;
            }
            large = large ? std::move(large) : std::move(sample);
        } catch (const InputError& error) {
            why = why.empty() ? error.what() : why;
        }
    }
    if (!large) {
        throw InputError(why);
    }
    return std::move(*large);
}

/// The cores that a study sweeps, by themselves.
std::optional<std::vector<int>> swept_cores(const Study& study)
{
    for (const SweptValues& axis : study.sweep.axes) {
        if (axis.size() == 1 && axis.front().first == cores_pointer) {
            std::vector<int> cores;
            for (const Json& value : axis.front().second) {
                cores.push_back(value.get<int>());
            }
            return cores;
        }
    }
    return std::nullopt;
}

Slider slider_of(const topologies::Preset& preset, const std::string& key)
{
    const topologies::PresetValue& entry = preset.at(key);
    Slider slider;
    slider.key = key;
    slider.pointer = overrides + key;
    slider.value = entry.value;
    slider.low = entry.low;
    slider.high = entry.high;
    slider.unit = entry.unit;
    slider.kind = entry.kind;
    slider.source = entry.source;
    return slider;
}

/// A quarter of the value to four times of it, whole where it is whole.
void set_what_if_range(Slider& slider)
{
    const double value = slider.value.get<double>();
    slider.uncertain = false;
    slider.low = value / what_if;
    slider.high = value * what_if;
    if (slider.value.is_number_integer()) {
        slider.low = std::max(1LL, std::llround(value / what_if));
        slider.high = std::llround(value * what_if);
    }
}

void add_what_if(Controls& controls, const topologies::Preset& preset, const std::string& key)
{
    const bool known = std::any_of(controls.sliders.begin(), controls.sliders.end(),
                                   [&](const Slider& one) { return one.key == key; });
    if (known || !preset.at(key).value.is_number()) {
        return;
    }
    Slider slider = slider_of(preset, key);
    set_what_if_range(slider);
    controls.sliders.push_back(std::move(slider));
}

double swing_of(const std::vector<Influence>& ranking, const std::string& key)
{
    const auto found = std::find_if(ranking.begin(), ranking.end(),
                                    [&](const Influence& one) { return one.unknown.name == key; });
    return found == ranking.end() ? 0 : found->swing;
}

/// Makes the slider of an uncertain input of the workload that a study can set.
Slider slider_of(const workloads::Unknown& input)
{
    Slider slider;
    slider.key = input.name;
    slider.pointer = input.pointer;
    slider.value = input.central;
    slider.low = input.low;
    slider.high = input.high;
    slider.unit = input.unit;
    slider.kind = "assumed";
    slider.source = input.source;
    return slider;
}

/// Adds those that the study sets.
void add_set_inputs(Controls& controls, const PointStudy& study)
{
    for (const workloads::Unknown& input :
         workloads::registry().kind_of(study.document, study.file).inputs) {
        const Json::json_pointer place(input.pointer);
        if (study.document.contains(place)) {
            Slider slider = slider_of(input);
            slider.value = study.document.at(place);
            set_what_if_range(slider);
            controls.sliders.push_back(std::move(slider));
        }
    }
}

/// Uncertain values by how much they matter, then others that a what-if changes.
void add_sliders(Controls& controls, const RebuiltPoint& point)
{
    const topologies::Preset& preset = point.machine().preset;
    const UncertainJob job(point.job);
    const std::vector<Influence> ranking = influences(job);
    for (const Unknown& unknown : job.unknowns()) {
        if (preset.has(unknown.name) || !unknown.pointer.empty()) {
            Slider slider =
                unknown.pointer.empty() ? slider_of(preset, unknown.name) : slider_of(unknown);
            if (const double swing = swing_of(ranking, unknown.name); swing > 1) {
                slider.swing = swing;
            }
            controls.sliders.push_back(std::move(slider));
        } else if (swing_of(ranking, unknown.name) > 1) {
            controls.band_only.push_back(unknown.name);
        }
    }
    std::stable_sort(
        controls.sliders.begin(), controls.sliders.end(),
        [](const Slider& a, const Slider& b) { return a.swing.value_or(1) > b.swing.value_or(1); });
    add_set_inputs(controls, point.study);
    for (const auto& [key, value] : point.study.machine.overrides) {
        add_what_if(controls, preset, key);
    }
    for (const Change& change : changes_of(point)) {
        for (const auto& [pointer, value] : change.set) {
            if (change.machine_only && pointer.rfind(overrides, 0) == 0) {
                add_what_if(controls, preset, pointer.substr(overrides.size()));
            }
        }
    }
}

/// What the study says at the place that a choice's options set.
std::string words_of_first(const workloads::Choice& choice, const PointSpec& sample)
{
    const std::string as_it_is = "as in the study";
    for (const workloads::Option& option : choice.options) {
        for (const auto& [pointer, value] : option.set) {
            const Json::json_pointer place(pointer);
            if (sample.study.document.contains(place)) {
                const Json& found = sample.study.document.at(place);
                return found.is_string()   ? found.get<std::string>() + ", " + as_it_is
                       : found.is_number() ? found.dump() + ", " + as_it_is
                                           : as_it_is;
            }
        }
    }
    return as_it_is;
}

/// A slice is one of a certain number of chips: there is none to choose where several are swept.
void add_selectors(Controls& controls, const PointSpec& sample)
{
    MachineChoice machines;
    machines.any_slice = true; // this is for playing, not for renting
    PlanSpace space = plan_space(sample.study, machines, {});
    controls.pinned = space.choices.pinned;
    const bool one_count = !controls.cores || controls.cores->size() == 1;
    for (workloads::Choice& choice : space.choices.list) {
        const bool possible = choice.name != workloads::slice_choice || one_count;
        if (possible && choice.options.size() > 1) {
            const std::string words = words_of_first(choice, sample);
            controls.selectors.push_back({choice.name, words, std::move(choice.options)});
        }
    }
}

/// A study that simulates nothing is confirmed by what `run` does if it does not say.
std::string confirming_fidelity(const PointStudy& study)
{
    return name_of(study.fidelity == Fidelity::analytic ? Fidelity::sampled : study.fidelity);
}

} // namespace

Controls controls_of(const Study& whole, const Scenario& scenario)
{
    const Study study = study_in(whole, scenario);
    const std::vector<PointSpec> specs = points_of(study);
    const PointStudy& first = specs.front().study;
    const Sample sample = sample_of(specs);
    Controls controls;
    controls.study = whole.name;
    controls.curves = curve_names(whole);
    controls.chosen = study.name;
    controls.chip = first.machine.chip.value_or("");
    controls.chips = topologies::Preset::names();
    if (std::find(controls.chips.begin(), controls.chips.end(), controls.chip) ==
        controls.chips.end()) {
        controls.chips.insert(controls.chips.begin(), controls.chip);
    }
    controls.cores = swept_cores(study);
    if (!controls.cores && study.sweep.axes.empty()) {
        controls.cores = std::vector<int>{sample.point.machine().cores};
    }
    if (!controls.cores) {
        controls.cores_of_point = sample.point.machine().cores;
    }
    controls.fidelity = confirming_fidelity(first);
    controls.numerics = first.numerics;
    controls.interval = sample.point.job.workload->interval();
    controls.at = label_of(sample.spec);
    add_sliders(controls, sample.point);
    add_selectors(controls, sample.spec);
    return controls;
}

} // namespace alxsim::program
