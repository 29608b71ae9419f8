// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/program_machine.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "topologies/chip_name.h"
#include "topologies/preset_reader.h"
#include "workloads/import/program_files.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace alxsim::hlo {
namespace {

/// TensorCores and devices of a chip.
struct PerChip {
    int cores = 1, devices = 1;
};

PerChip per_chip(const std::string& chip, const std::string& file)
{
    const auto preset = topologies::Preset::load(
        topologies::is_preset_path(chip) ? resolve_path(chip, file) : chip);
    const topologies::PresetReader read(preset);
    return {read.count("tensorcores_per_chip"), read.count("devices_per_chip")};
}

Files all_of(const std::vector<ProgramFile>& files)
{
    Files all;
    for (const ProgramFile& one : files) {
        all.push_back(&one);
    }
    return all;
}

/// Those that fit best to what a study says of its machine.
Files like_machine(const std::vector<ProgramFile>& files, const Json& said, const std::string& file)
{
    Files like = all_of(files);
    if (like.size() < 2) {
        return like;
    }
    const auto prefer_equal = [&](const char* field, const auto& value_of) {
        if (said.contains(field)) {
            prefer(like, [&](const ProgramFile& one) {
                return one.sidecar && said.at(field) == Json(value_of(compiled_for(one)));
            });
        }
    };
    if (said.contains("cores")) {
        const auto cores = said.at("cores").get<std::int64_t>();
        prefer(like, [&](const ProgramFile& one) {
            const std::string chip = said.contains("chip") ? said.at("chip").get<std::string>()
                                     : one.sidecar         ? compiled_for(one).chip
                                                           : "";
            if (chip.empty()) {
                return one.devices == cores;
            }
            const PerChip has = per_chip(chip, file);
            return std::int64_t{devices_of(one)} * has.cores == cores * has.devices;
        });
    }
    prefer_equal("slices", [](const CompiledFor& compiled) { return compiled.slices; });
    prefer_equal("slice", [](const CompiledFor& compiled) { return compiled.shape; });
    prefer_equal("chip", [](const CompiledFor& compiled) { return compiled.chip; });
    return like;
}

/// Counts cores; on v2, v3 and 7x a device is a part of a chip: with an odd number, one chip is
/// used in part.
int cores_of(int devices, const PerChip& has)
{
    return devices * has.cores / has.devices;
}

/// Whether a chip has such a slice.
bool is_slice_of(const std::string& chip, const topologies::SliceRequest& request,
                 const std::string& file)
{
    try {
        topologies::make_machine(topologies::Preset::load(topologies::is_preset_path(chip)
                                                              ? resolve_path(chip, file)
                                                              : chip),
                                 request);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

/// Reads "4x8"; no more than any machine has, however large the numbers are.
std::int64_t chips_of_shape(const std::string& shape)
{
    constexpr std::int64_t most = std::int64_t{1} << 24;
    std::int64_t chips = 1;
    std::int64_t side = 0;
    for (const char letter : shape + "x") {
        if (letter == 'x') {
            chips = std::min(chips * side, most);
            side = 0;
        } else {
            side = std::min(10 * side + (letter - '0'), most);
        }
    }
    return chips;
}

/// What a study need not say of its machine, since NAME.json does.
Json fields_beside(const CompiledFor& compiled, const Json& said, const std::string& file)
{
    Json fields = Json::object();
    const auto chip = said.value("chip", compiled.chip);
    if (!said.contains("chip")) {
        fields["chip"] = chip;
    }
    const PerChip has = per_chip(chip, file);
    const int slices = said.value("slices", compiled.slices);
    const bool same_slices = slices == compiled.slices;
    const int compiled_cores = cores_of(compiled.devices, has);
    const bool same_size = same_slices && said.value("cores", compiled_cores) == compiled_cores;
    if (!said.contains("slices") && same_size && slices > 1) {
        fields["slices"] = slices;
    }
    if (!said.contains("cores")) {
        const std::int64_t chips =
            said.contains("slice") ? chips_of_shape(said.at("slice"))
                                   : (compiled_cores / compiled.slices + has.cores - 1) / has.cores;
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        fields["cores"] = std::min(chips * slices * has.cores, most);
    }
    const bool same_shape = said.contains("slice") ? said.at("slice") == compiled.shape : same_size;
    const topologies::SliceRequest request{said.value("cores", compiled_cores), compiled.shape,
                                           compiled.wrap, false, slices};
    if (same_shape && (chip == compiled.chip || is_slice_of(chip, request, file))) {
        if (!said.contains("slice")) {
            fields["slice"] = compiled.shape;
        }
        if (!said.contains("wrap") && !said.value("twisted", false)) {
            fields["wrap"] = compiled.wrap;
        }
    }
    return fields;
}

using FieldValues = Named<std::vector<Json>>;

/// As few fields, from the first, as no two files share all of: a curve over cores where these do.
FieldValues fewest_that_differ(FieldValues values)
{
    const std::size_t files = values.front().second.size();
    for (std::size_t fields = 1; fields < values.size(); ++fields) {
        std::set<std::string> told;
        for (std::size_t i = 0; i < files; ++i) {
            std::string words;
            for (std::size_t field = 0; field < fields; ++field) {
                words += values[field].second[i].dump() + " ";
            }
            told.insert(words);
        }
        if (told.size() == files) {
            values.resize(fields);
        }
    }
    return values;
}

/// Whether a study leaves open on which of several machines it runs; its chip by the preset's name.
bool leaves_machines_open(Json& said)
{
    if (said.contains("cores") || said.contains("slice")) {
        return false;
    }
    if (said.contains("chip")) {
        const auto chip = topologies::chip_named(said.at("chip").get<std::string>());
        if (chip && chip->has_size()) {
            return false;
        }
        said["chip"] = chip ? chip->preset : said.at("chip").get<std::string>();
    }
    return true;
}

Json said_machine(const Json& study)
{
    return study.value("machine", Json::object());
}

/// Whether all that files can say is said.
bool says_all(const Json& said)
{
    return said.contains("chip") && said.contains("cores") && said.contains("slice") &&
           said.contains("wrap");
}

} // namespace

Json machine_of_program(const Json& study, const std::string& file)
{
    const Json said = said_machine(study);
    if (says_all(said)) {
        return Json::object();
    }
    const AskedProgram asked = asked_program(study.at("workload").at("program"), file);
    const std::vector<ProgramFile> files = program_files(asked, file);
    const ProgramFile& one = *like_machine(files, said, file).front();
    if (one.sidecar) {
        return fields_beside(compiled_for(one), said, file);
    }
    if (!said.contains("chip")) {
        refuse_without_sidecar(file, "/machine", one.path,
                               "/machine/chip and /machine/cores, with /machine/slice and "
                               "/machine/wrap as it was compiled for");
    }
    if (one.devices > 0 && !said.contains("cores")) {
        const PerChip has = per_chip(said.at("chip"), file);
        return {{"cores", cores_of(one.devices, has)}};
    }
    return Json::object();
}

Named<std::vector<Json>> sweep_of_program(const Json& study, const std::string& file)
{
    Json said = said_machine(study);
    if (!leaves_machines_open(said)) {
        return {};
    }
    const AskedProgram asked = asked_program(study.at("workload").at("program"), file);
    const std::vector<ProgramFile> files = program_files(asked, file);
    const Files like = like_machine(files, said, file);
    if (like.size() < 2) {
        return {};
    }
    FieldValues values{{"/machine/cores", {}},
                       {"/machine/slice", {}},
                       {"/machine/chip", {}},
                       {"/machine/slices", {}}};
    for (const ProgramFile* one : like) {
        if (!one->sidecar && !said.contains("chip")) {
            refuse_without_sidecar(file, "/machine", one->path, "/machine/chip");
        }
        const CompiledFor compiled = one->sidecar ? compiled_for(*one) : CompiledFor();
        const PerChip has = per_chip(said.value("chip", compiled.chip), file);
        values[0].second.emplace_back(cores_of(devices_of(*one), has));
        values[1].second.emplace_back(compiled.shape);
        values[2].second.emplace_back(compiled.chip);
        values[3].second.emplace_back(compiled.slices);
    }
    return fewest_that_differ(std::move(values));
}

} // namespace alxsim::hlo
