// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/serve/scenario.h"
#include "workloads/choices.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::program {

/// A number of the machine, or an input of the workload, that a page has a slider for.
struct Slider {
    std::string key;     ///< of the preset; the input's name
    std::string pointer; ///< in a study
    Json value;          ///< as the study has it
    Json low, high;      ///< the ends of the slider
    std::string unit;
    std::string kind;            ///< of the preset's value: assumed, sourced, ...
    std::string source;          ///< of the preset's value
    bool uncertain = true;       ///< low and high are its band; else a quarter and four times of it
    std::optional<double> swing; ///< of the interval over the band; absent: no influence
};

/// A thing of which a job does one.
struct Selector {
    std::string name;
    std::string words;                      ///< of what the study says
    std::vector<workloads::Option> options; ///< the first: as the study has it
};

/// What may be set in a curve of a study.
struct Controls {
    std::string study;
    std::vector<std::string> curves;
    std::string chosen; ///< one of them
    std::string chip;
    std::vector<std::string> chips;
    /// The values that `sweep` has for the cores; absent: it sweeps something else, or nothing.
    std::optional<std::vector<int>> cores;
    std::optional<int> cores_of_point; ///< of a study whose cores are not swept
    std::string fidelity;              ///< of a confirmation
    bool numerics = false;             ///< whether a confirmation computes numbers
    std::string interval;
    std::string at;              ///< the point at which choices and influences were looked up
    std::vector<Slider> sliders; ///< what matters most first
    std::vector<Selector> selectors;
    Settings pinned;                    ///< to be set with any option but the first
    std::vector<std::string> band_only; ///< uncertain inputs of the job, which no study sets
};

/// Makes those of a scenario: what matters is found at the middle one of its points that can be
/// run. Throws InputError where none can be.
Controls controls_of(const Study& study, const Scenario& scenario);

template <class Fields>
void list_fields(Fields& fields, Slider& slider)
{
    fields("key", slider.key);
    fields("pointer", slider.pointer);
    fields("value", slider.value);
    fields("low", slider.low);
    fields("high", slider.high);
    fields("unit", slider.unit);
    fields("kind", slider.kind);
    fields("source", slider.source);
    fields("uncertain", slider.uncertain);
    fields("swing", slider.swing);
}

template <class Fields>
void list_fields(Fields& fields, Selector& selector)
{
    fields("name", selector.name);
    fields("words", selector.words);
    fields("options", selector.options);
}

template <class Fields>
void list_fields(Fields& fields, Controls& controls)
{
    fields("study", controls.study);
    fields("curves", controls.curves);
    fields("chosen", controls.chosen);
    fields("chip", controls.chip);
    fields("chips", controls.chips);
    fields("cores", controls.cores);
    fields("cores_of_point", controls.cores_of_point);
    fields("fidelity", controls.fidelity);
    fields("numerics", controls.numerics);
    fields("interval", controls.interval);
    fields("at", controls.at);
    fields("sliders", controls.sliders);
    fields("selectors", controls.selectors);
    fields("pinned", controls.pinned);
    fields("band_only", controls.band_only);
}

} // namespace alxsim::program

namespace alxsim::workloads {

template <class Fields>
void list_fields(Fields& fields, Option& option)
{
    fields("words", option.words);
    fields("set", option.set);
    fields("effect", option.effect);
}

} // namespace alxsim::workloads
