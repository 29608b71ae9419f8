// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/space.h"

#include "base/input_error.h"
#include "experiments/answers/advise/slice_options.h"
#include "experiments/points/study/job.h"
#include "topologies/chip_name.h"
#include "workloads/registry.h"

#include <algorithm>
#include <iterator>

namespace alxsim::experiments {
namespace {

using workloads::Choices;
using workloads::slice_choice;

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

Names names_of(const Choices& choices)
{
    Names names;
    for (const Choice& choice : choices.list) {
        names.push_back(choice.name);
    }
    return names;
}

/// The positions of these choices in the list.
std::vector<int> positions_of(const Names& names, const Choices& choices)
{
    const Names all = names_of(choices);
    std::vector<int> positions;
    for (const std::string& name : names) {
        positions.push_back(
            static_cast<int>(std::find(all.begin(), all.end(), name) - all.begin()));
    }
    return positions;
}

/// Puts the slice before the first choice that acts together with it; last if there is none.
void insert_slice(Choices& choices, std::vector<Option> options)
{
    const auto acts_together = [&](const Choice& choice) {
        return std::any_of(choices.blocks.begin(), choices.blocks.end(), [&](const Names& block) {
            return has(block, slice_choice) && has(block, choice.name);
        });
    };
    const auto before = std::find_if(choices.list.begin(), choices.list.end(), acts_together);
    choices.list.insert(before, {slice_choice, std::move(options)});
    if (!has(choices.by_interest, slice_choice)) {
        choices.by_interest.emplace_back(slice_choice);
    }
    for (const std::string& name : names_of(choices)) { // what stands in no block
        if (std::none_of(choices.blocks.begin(), choices.blocks.end(),
                         [&](const Names& block) { return has(block, name); })) {
            choices.blocks.push_back({name});
        }
    }
}

/// Whether an option says no more than the study does already.
bool is_as_it_is(const Option& option, const PointStudy& study, const PointStudy& with_option)
{
    if (option.set.empty()) {
        return false; // the study as it is, which stays
    }
    const auto is_absent = [&](const Settings::Entry& entry) {
        return !study.document.contains(Json::json_pointer(entry.first));
    };
    return with_option.document == study.document ||
           (option.is_default && std::all_of(option.set.begin(), option.set.end(), is_absent));
}

/// Moves what cannot be set, or changes nothing, out of the choice.
void keep_possible(Choice& choice, PlanSpace& space)
{
    std::vector<Option> possible;
    for (const Option& option : choice.options) {
        try {
            const PointStudy changed = checked_change(space.studied, option.set);
            if (!is_as_it_is(option, space.studied, changed)) {
                possible.push_back(option);
            }
        } catch (const InputError& error) {
            space.refused.push_back({option.words, error.what()});
            if (const Json* const chip = option.set.find("/machine/chip")) {
                space.refused_chips.try_emplace(chip->get<std::string>(), error.what());
            }
        }
    }
    choice.options = std::move(possible);
}

/// Leaves the study's own option alone to choices that are not asked for; none asked for: all are.
void keep_asked(Choices& choices, const Names& only)
{
    const Names names = names_of(choices);
    for (const std::string& name : only) {
        if (!has(names, name)) {
            throw InputError("--choices", name,
                             "is nothing to choose; allowed: " + join(names) +
                                 did_you_mean(name, names));
        }
    }
    for (Choice& choice : choices.list) {
        if (!only.empty() && !has(only, choice.name)) {
            choice.options.resize(1);
        }
    }
}

/// Whether one of these names, which may have a size, is that of the studied plan's machine.
bool is_among(const topologies::Machine& machine, const PointStudy& studied, const Names& chips)
{
    return std::any_of(chips.begin(), chips.end(), [&](const std::string& chip) {
        const auto name = topologies::chip_named(chip);
        return name ? name->preset == *studied.machine.chip &&
                          name->cores.value_or(machine.cores) == machine.cores
                    : chip == *studied.machine.chip;
    });
}

/// Whether the studied plan does not fit into HBM, or may have to on fewer cores.
bool is_too_large(const Job& job, const std::vector<int>& counts)
{
    return !memory_fit(*job.workload, job.machine).fits_hbm() ||
           std::any_of(counts.begin(), counts.end(),
                       [&](int cores) { return cores < job.machine.cores; });
}

/// Empty for the study's own values.
SeriesRequest series_of(const Study& study, const std::string& name)
{
    std::vector<std::string> names;
    for (const SeriesRequest& one : study.series) {
        names.push_back(one.name);
        if (one.name == name) {
            return one;
        }
    }
    if (!name.empty()) {
        throw InputError("--series", name,
                         names.empty() ? "found, but the study has no series; allowed: leave it out"
                                       : "is no series of the study; allowed: " + join(names) +
                                             did_you_mean(name, names));
    }
    return {};
}

} // namespace

Settings single_point_settings(const Study& study, const std::string& series)
{
    Settings settings = series_of(study, series).set;
    const auto set_where = [&](bool needed, const char* pointer, const Json& value) {
        if (needed && !settings.contains(pointer)) {
            settings.set(pointer, value);
        }
    };
    const PointStudy own = single_point(study, settings);
    const Json::json_pointer place("/machine/chip");
    const Json* const of_series = settings.find(place.to_string());
    const Json chip = of_series != nullptr             ? *of_series
                      : study.document.contains(place) ? study.document.at(place)
                                                       : Json();
    // Its name may say a size, too.
    if (own.machine.chip && !chip.is_null() && chip != *own.machine.chip) {
        settings.set("/machine/chip", *own.machine.chip);
        set_where(own.machine.cores.has_value(), "/machine/cores", own.machine.cores.value_or(0));
        set_where(own.machine.slice.has_value(), "/machine/slice", own.machine.slice.value_or(""));
    }
    const std::vector<int> cores = swept_cores(study, series);
    if (!cores.empty()) {
        set_where(!own.machine.cores, "/machine/cores", cores.front());
    }
    set_where(!study.sweep.axes.empty(), "/sweep", Json::object());
    set_where(!study.series.empty(), "/series", Json::array({{{"name", study.name}}}));
    set_where(!study.hypotheses.empty(), "/hypotheses", Json::array());
    if (own.numerics) {
        settings.set("/numerics", false);
    }
    if (own.fidelity != Fidelity::sampled) {
        settings.set("/fidelity", name_of(Fidelity::sampled));
    }
    return settings;
}

PointStudy studied_plan(const Study& study, const std::string& series)
{
    return single_point(study, single_point_settings(study, series));
}

std::vector<int> swept_cores(const Study& study, const std::string& series)
{
    std::vector<int> cores;
    const Sweep sweep = series_of(study, series).sweep.value_or(study.sweep);
    for (const SweptValues& axis : sweep.axes) {
        for (const auto& [pointer, values] : axis) {
            if (pointer == "/machine/cores") {
                std::transform(values.begin(), values.end(), std::back_inserter(cores),
                               [](const auto& value) { return value.template get<int>(); });
            }
        }
    }
    return cores;
}

std::vector<std::string> choice_names()
{
    Names names{slice_choice};
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        names.insert(names.end(), kind.choices.begin(), kind.choices.end());
    }
    return names;
}

PlanSpace plan_space(const PointStudy& studied, const MachineChoice& machines, const Names& only)
{
    PlanSpace space;
    space.studied = studied;
    space.studied_job = std::make_shared<const Job>(job_of(studied));
    const Job& job = *space.studied_job;
    const std::vector<int>& counts = machines.cores;
    const bool count_allowed =
        !machines.cores_asked ||
        std::find(counts.begin(), counts.end(), job.machine.cores) != counts.end();
    space.studied_is_allowed =
        count_allowed && (machines.chips.empty() || is_among(job.machine, studied, machines.chips));
    space.choices = job.workload->choices();
    if (is_too_large(job, counts)) {
        std::move(space.choices.if_too_large.begin(), space.choices.if_too_large.end(),
                  std::back_inserter(space.choices.list));
    }
    std::vector<Option> slices{{}};
    for (const std::string& chip :
         machines.chips.empty() ? Names{*studied.machine.chip} : machines.chips) {
        const std::vector<Option> of_chip =
            slice_options(studied, job.machine, {chip, counts, machines.any_slice});
        slices.insert(slices.end(), of_chip.begin(), of_chip.end());
    }
    insert_slice(space.choices, std::move(slices));
    keep_asked(space.choices, only);
    for (Choice& choice : space.choices.list) {
        keep_possible(choice, space);
    }
    return space;
}

SearchSpace PlanSpace::search_space() const
{
    SearchSpace space;
    for (const Choice& choice : choices.list) {
        space.options.push_back(static_cast<int>(choice.options.size()));
    }
    space.first.assign(choices.list.size(), 0);
    const int slice = slice_axis();
    // The studied slice comes first.
    space.first[static_cast<std::size_t>(slice)] = studied_is_allowed ? 0 : 1;
    for (const Names& block : choices.blocks) {
        space.blocks.push_back(positions_of(block, choices));
    }
    space.family = positions_of(choices.family, choices);
    space.starts.push_back(space.first);
    const std::vector<Option>& slices = choices.list.at(static_cast<std::size_t>(slice)).options;
    for (std::size_t i = 1; i < slices.size(); ++i) {
        if (slices[i].set.contains("/machine/chip")) {
            space.probes.push_back(space.first);
            space.probes.back()[static_cast<std::size_t>(slice)] = static_cast<int>(i);
        }
    }
    const std::vector<int> ladders = positions_of(choices.ladders, choices);
    int rungs = 0;
    for (const int ladder : ladders) {
        const int own = space.options[static_cast<std::size_t>(ladder)];
        rungs = rungs == 0 ? own : std::min(rungs, own);
    }
    for (const int rung : {rungs / 4, rungs / 2, 3 * rungs / 4}) {
        Selection start = space.first;
        for (const int ladder : ladders) {
            start[static_cast<std::size_t>(ladder)] = rung;
        }
        if (!ladders.empty()) {
            space.starts.push_back(start);
        }
    }
    return space;
}

int PlanSpace::slice_axis() const
{
    return positions_of({slice_choice}, choices).front();
}

std::vector<int> PlanSpace::by_interest() const
{
    return positions_of(choices.by_interest, choices);
}

bool PlanSpace::is_studied(const Selection& selection) const
{
    return std::all_of(selection.begin(), selection.end(), [](int option) { return option == 0; });
}

Settings PlanSpace::set_of(const Selection& selection) const
{
    Settings set;
    if (!is_studied(selection)) {
        set = choices.pinned;
    }
    for (const Option* option : options_at(selection)) {
        set.set(option->set);
    }
    return set;
}

std::vector<std::string> PlanSpace::words_of(const Selection& selection) const
{
    std::vector<std::string> words;
    for (const Option* option : options_at(selection)) {
        if (!option->words.empty()) {
            words.push_back(option->words);
        }
    }
    return words;
}

std::vector<std::string> PlanSpace::effects_of(const Selection& selection) const
{
    std::vector<std::string> effects;
    for (const Option* option : options_at(selection)) {
        if (!option->effect.empty()) {
            effects.push_back(option->effect);
        }
    }
    return effects;
}

std::vector<const Option*> PlanSpace::options_at(const Selection& selection) const
{
    std::vector<const Option*> options;
    for (std::size_t i = 0; i < choices.list.size(); ++i) {
        options.push_back(&choices.list[i].options.at(static_cast<std::size_t>(selection[i])));
    }
    return options;
}

PointStudy PlanSpace::study_of(const Selection& selection) const
{
    return checked_change(studied, set_of(selection));
}

} // namespace alxsim::experiments
