// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/space.h"

#include "alx/gather.h"
#include "alx/placement.h"
#include "alx/scatter.h"
#include "alx/statistics_ops.h"
#include "base/input_error.h"
#include "experiments/advise/batch_options.h"
#include "experiments/advise/slice_options.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

const Json::json_pointer cores_pointer("/machine/cores");

/// Places of the axes in a plan space.
struct At {
    enum Number {
        gather,
        scatter,
        statistics,
        slice,
        row_axes,
        embedding_axes,
        placement,
        overlap,
        row_batch,
        column_batch
    };
};

std::string words_of_value(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Values of one field, the default first, whose words are "name value".
ChoiceAxis field_axis(const std::string& name, const std::string& pointer,
                      const std::vector<Json>& values)
{
    ChoiceAxis axis{name, {{}}};
    for (const Json& value : values) {
        axis.options.push_back(
            {name + " " + words_of_value(value), {{pointer, value}}, value == values.front()});
    }
    return axis;
}

ChoiceAxis overlap_axis()
{
    const char* const pointer = "/workload/alx/overlap";
    ChoiceAxis axis{"overlap", {{}, {"no prefetch", {{pointer, {{"kind", "none"}}}}, true}}};
    for (const int depth : {1, 2}) {
        axis.options.push_back({"prefetch depth " + std::to_string(depth),
                                {{pointer, {{"kind", "prefetch"}, {"depth", depth}}}},
                                false});
    }
    return axis;
}

/// Which torus axes a table's rows, or its embedding columns, are spread over.
ChoiceAxis sharding_axis(const std::string& words, const std::string& name,
                         const std::vector<std::vector<std::string>>& groups)
{
    const std::string pointer = "/workload/alx/" + name;
    ChoiceAxis axis{name, {{}}};
    for (const std::vector<std::string>& group : groups) {
        axis.options.push_back(
            {words + " over " + join(group, " and "), {{pointer, group}}, false});
    }
    return axis;
}

std::vector<ChoiceAxis> sharding_axes(std::size_t torus_axes)
{
    std::vector<std::vector<std::string>> rows{{"x"}, {"y"}};
    std::vector<std::vector<std::string>> columns = rows;
    if (torus_axes == 3) {
        rows.insert(rows.end(), {{"z"}, {"x", "y"}, {"x", "z"}, {"y", "z"}});
        columns.push_back({"z"});
    }
    return {sharding_axis("rows", "group_axes", rows),
            sharding_axis("embedding columns", "embedding_axes", columns)};
}

/// Whether an option says no more than the study does already.
bool is_as_it_is(const Option& option, const Json& document)
{
    if (option.set.empty()) {
        return false; // the study as it is, which stays
    }
    for (const auto& [name, value] : option.set.items()) {
        const Json::json_pointer pointer(name);
        if (document.contains(pointer) ? document.at(pointer) != value : !option.is_default) {
            return false;
        }
    }
    return true;
}

/// Moves what cannot be set, or changes nothing, out of the axis.
void keep_possible(ChoiceAxis& axis, PlanSpace& space)
{
    std::vector<Option> possible;
    for (const Option& option : axis.options) {
        if (is_as_it_is(option, space.released.document)) {
            continue;
        }
        try {
            Study changed = space.released;
            set_values(changed, option.set);
            possible.push_back(option);
        } catch (const InputError& error) {
            space.refused.push_back({option.words, error.what()});
        }
    }
    axis.options = std::move(possible);
}

/// Leaves the study's own option alone to axes that are not chosen; none chosen: all are.
void keep_chosen(std::vector<ChoiceAxis>& axes, const std::vector<std::string>& choices)
{
    const std::vector<std::string>& names = axis_names();
    for (const std::string& choice : choices) {
        if (std::find(names.begin(), names.end(), choice) == names.end()) {
            throw InputError("--choices", choice,
                             "is nothing to choose; allowed: " + join(names) +
                                 did_you_mean(choice, names));
        }
    }
    for (ChoiceAxis& axis : axes) {
        if (!choices.empty() &&
            std::find(choices.begin(), choices.end(), axis.name) == choices.end()) {
            axis.options.resize(1);
        }
    }
}

/// {} for the study's own values.
Json series_of(const Study& study, const std::string& name)
{
    std::vector<std::string> names;
    for (const Json& one : study.document.value("series", Json::array())) {
        names.push_back(one.at("name").get<std::string>());
        if (names.back() == name) {
            return one;
        }
    }
    if (!name.empty()) {
        throw InputError("--series", name,
                         "is no series of the study; allowed: " + join(names) +
                             did_you_mean(name, names));
    }
    return Json::object();
}

} // namespace

Json single_point_settings(const Study& study, const std::string& series)
{
    const Json& document = study.document;
    Json settings = series_of(study, series).value("set", Json::object());
    const auto set_where = [&](bool needed, const char* pointer, const Json& value) {
        if (needed && !settings.contains(pointer)) {
            settings[pointer] = value;
        }
    };
    const std::vector<int> cores = swept_cores(study, series);
    set_where(!document.contains(cores_pointer) && !cores.empty(), "/machine/cores",
              cores.empty() ? Json() : Json(cores.front()));
    set_where(document.contains("sweep"), "/sweep", Json::object());
    set_where(document.contains("series"), "/series",
              Json::array({{{"name", document.at("study")}}}));
    set_where(document.contains("hypotheses"), "/hypotheses", Json::array());
    if (settings.value("/numerics", document.value("numerics", true))) {
        settings["/numerics"] = false;
    }
    if (settings.value("/fidelity", document.value("fidelity", "sampled")) != "sampled") {
        settings["/fidelity"] = "sampled";
    }
    return settings;
}

Study released_plan(const Study& study, const std::string& series)
{
    Study released = study;
    set_values(released, single_point_settings(study, series));
    for (const char* field : {"sweep", "series", "hypotheses", "search", "export"}) {
        released.document.erase(field);
    }
    if (!released.document.at("workload").contains("dataset")) {
        throw InputError(study.file, "/workload",
                         "has no dataset: there is advice on ALX jobs alone; --series takes that "
                         "of a series");
    }
    return released;
}

std::vector<int> swept_cores(const Study& study, const std::string& series)
{
    const Json sweep =
        series_of(study, series).value("sweep", study.document.value("sweep", Json::object()));
    return sweep.value("/machine/cores", std::vector<int>{});
}

const std::vector<std::string>& axis_names()
{
    static const std::vector<std::string> names{
        "gather",         "scatter",   "statistics", "slice", "group_axes",
        "embedding_axes", "placement", "overlap",    "batch", "column_batch"};
    return names;
}

std::vector<int> axes_by_weight()
{
    return {At::gather,   At::placement,      At::scatter, At::statistics, At::slice,
            At::row_axes, At::embedding_axes, At::overlap, At::row_batch,  At::column_batch};
}

PlanSpace plan_space(const Study& released, const CoreChoice& cores,
                     const std::vector<std::string>& choices)
{
    PlanSpace space;
    space.released = released;
    const topologies::Machine machine = released_machine(released);
    const std::vector<int>& counts = cores.counts;
    space.released_cores =
        !cores.asked || std::find(counts.begin(), counts.end(), machine.cores) != counts.end();
    const BatchOptions batches = batch_options(released, machine);
    space.pinned = batches.pinned;
    const auto strategies = [](const char* name, const std::vector<std::string>& names) {
        return field_axis(name, std::string("/workload/alx/") + name, {names.begin(), names.end()});
    };
    space.axes = {
        strategies("gather", alx::gather_strategies().names()),
        strategies("scatter", alx::scatter_strategies().names()),
        strategies("statistics", alx::statistics_strategies().names()),
        {"slice", slice_options(released, machine, counts)},
    };
    for (ChoiceAxis& axis : sharding_axes(machine.slice.axes().size())) {
        space.axes.push_back(std::move(axis));
    }
    space.axes.push_back(strategies("placement", alx::placements().names()));
    space.axes.push_back(overlap_axis());
    space.axes.push_back({"batch", batches.rows});
    space.axes.push_back({"column_batch", batches.columns});
    keep_chosen(space.axes, choices);
    for (ChoiceAxis& axis : space.axes) {
        keep_possible(axis, space);
    }
    return space;
}

SearchSpace PlanSpace::search_space() const
{
    SearchSpace space;
    for (const ChoiceAxis& axis : axes) {
        space.options.push_back(static_cast<int>(axis.options.size()));
    }
    space.first.assign(axes.size(), 0);
    space.first[At::slice] = released_cores ? 0 : 1; // the released slice comes first
    // Each block holds what is known to act together: how rows travel and what is done with them;
    // the torus and what is spread over its axes; where rows are and who asks for them.
    space.blocks = {{At::gather, At::scatter, At::statistics},
                    {At::row_batch},
                    {At::column_batch},
                    {At::slice, At::row_axes, At::embedding_axes},
                    {At::placement, At::gather, At::scatter},
                    {At::overlap, At::gather, At::statistics}};
    space.family = {At::gather, At::scatter, At::statistics};
    const Place as_it_is = space.first;
    space.starts.push_back(as_it_is);
    const int batches = std::min(space.options[At::row_batch], space.options[At::column_batch]);
    for (const int batch : {batches / 4, batches / 2, 3 * batches / 4}) {
        Place start = as_it_is;
        start[At::row_batch] = start[At::column_batch] = batch;
        space.starts.push_back(start);
    }
    return space;
}

bool PlanSpace::is_released(const Place& place) const
{
    return std::all_of(place.begin(), place.end(), [](int option) { return option == 0; });
}

Json PlanSpace::set_of(const Place& place) const
{
    Json set = is_released(place) ? Json::object() : pinned;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const Option& option = axes[axis].options.at(static_cast<std::size_t>(place[axis]));
        for (const auto& [pointer, value] : option.set.items()) {
            set[pointer] = value;
        }
    }
    return set;
}

std::vector<std::string> PlanSpace::words_of(const Place& place) const
{
    std::vector<std::string> words;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const Option& option = axes[axis].options.at(static_cast<std::size_t>(place[axis]));
        if (!option.words.empty()) {
            words.push_back(option.words);
        }
    }
    return words;
}

Study PlanSpace::study_of(const Place& place) const
{
    Study study = released;
    set_values(study, set_of(place));
    return study;
}

} // namespace alxsim::experiments
