// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/chips/chips_answer.h"

#include "base/schema/json_schema.h"
#include "experiments/points/study/machine_request.h"
#include "topologies/chip_name.h"

namespace alxsim::experiments {
namespace {

std::vector<std::string> names_or_all(const std::string& name)
{
    return name.empty() ? topologies::Preset::names() : std::vector<std::string>{name};
}

template <class Told>
Json list_of(const std::string& name, const Told& told)
{
    Json chips = Json::array();
    for (const std::string& one : names_or_all(name)) {
        chips.push_back(json_of(told(topologies::Preset::load(one))));
    }
    return {{"chips", std::move(chips)}};
}

Json made_schema()
{
    Json kinds = Json::array();
    for (const char* kind : {"summary", "roofline", "unsourced"}) {
        kinds.push_back({{"$ref", std::string("#/definitions/") + kind}});
    }
    const Json list{{"type", "object"},
                    {"additionalProperties", false},
                    {"required", {"chips"}},
                    {"properties",
                     {{"chips",
                       {{"description", "Presets, oldest generation first."},
                        {"type", "array"},
                        {"items", {{"oneOf", std::move(kinds)}}}}}}}};
    using json_schema::described;
    return {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "What alxsim chips --json prints"},
            {"oneOf", {{{"$ref", "#/definitions/chip"}}, list}},
            {"definitions",
             {{"chip", described<NamedChip>("With NAME: a chip.")},
              {"summary", described<topologies::ChipSummary>("Without: each of the presets.")},
              {"roofline", described<ChipRoofline>("With --roofline.")},
              {"unsourced", described<topologies::ToldUnsourced>("With --unsourced.")}}}};
}

} // namespace

std::optional<topologies::Machine> machine_named(const std::string& chip,
                                                 const topologies::Preset& preset)
{
    const std::optional<topologies::ChipName> name = topologies::chip_named(chip);
    if (!name || !name->has_size()) {
        return std::nullopt;
    }
    topologies::SliceRequest request;
    request.cores = *name->cores;
    request.shape = name->shape;
    return topologies::make_machine(preset, request);
}

NamedChip named_chip(const std::string& name)
{
    const auto preset = topologies::Preset::load(name);
    NamedChip named{topologies::told_chip(preset), {}};
    if (const std::optional<topologies::Machine> machine = machine_named(name, preset)) {
        named.machine = machine_told(*machine, {});
    }
    return named;
}

Json listed_chips()
{
    return {{"chips", json_of(topologies::chip_summaries())}};
}

Json unsourced_of_chips(const std::string& name)
{
    return list_of(name, topologies::told_unsourced);
}

Json roofline_of_chips(const std::string& name)
{
    return list_of(name, [](const topologies::Preset& preset) {
        return ChipRoofline{preset.name(), roofline(preset)};
    });
}

const Json& chips_schema()
{
    static const Json schema = made_schema();
    return schema;
}

} // namespace alxsim::experiments
