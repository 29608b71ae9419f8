// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/program_files.h"

#include "base/file_pattern.h"
#include "base/input_error.h"
#include "base/paths.h"
#include "topologies/chip_name.h"
#include "topologies/preset_reader.h"
#include "workloads/import/hlo/lowering/placement.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>

namespace alxsim::hlo {
namespace {

constexpr const char* place_of_program = "/workload/program";

/// What NAME.json says that a program was compiled for.
struct CompiledFor {
    std::string chip, shape;
    int cores = 0, devices = 0, chips = 0, slices = 1;
    std::vector<bool> wrap;
};

CompiledFor compiled_for(const ProgramFile& one)
{
    const topologies::Machine machine = machine_of(*one.sidecar, sidecar_path(one.path));
    CompiledFor compiled{machine.preset.name(),
                         machine.slice.shape(),
                         machine.cores,
                         machine.devices,
                         machine.slice.chips(),
                         machine.slice.slices(),
                         {}};
    for (const topologies::Axis& axis : machine.slice.ici_axes()) {
        compiled.wrap.push_back(axis.wraps);
    }
    return compiled;
}

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

[[noreturn]] void refuse_without_sidecar(const std::string& file, const std::string& place,
                                         const std::string& path, const std::string& allowed)
{
    throw InputError(file, place,
                     "found no " + file_name(sidecar_path(path)) + " beside " + file_name(path) +
                         ", which would say for which chip and slice it was compiled "
                         "(alxsim-dump-hlo writes it); allowed: " +
                         allowed);
}

/// The order of a curve, and what no two files share.
std::tuple<int, std::string, std::string, int> key_of(const ProgramFile& one)
{
    if (!one.sidecar) {
        return {one.devices, "", "", 1};
    }
    const CompiledFor compiled = compiled_for(one);
    return {compiled.chips, compiled.chip, compiled.shape, compiled.slices};
}

std::vector<ProgramFile> files_of_pattern(const std::string& pattern, const std::string& place,
                                          const std::string& file)
{
    std::vector<ProgramFile> files;
    for (const std::string& path : files_like(resolve_path(pattern, file))) {
        if (std::filesystem::path(path).extension() != ".json") { // what stands beside texts
            files.push_back({path, sidecar_beside(path), 0});
        }
    }
    if (files.empty()) {
        throw InputError(file, place,
                         "found no file like '" + pattern +
                             "'; allowed: a path, with * for any letters of a name, ? for one, "
                             "{a,b} for one of these");
    }
    for (const ProgramFile& one : files) {
        if (!one.sidecar && files.size() > 1) {
            refuse_without_sidecar(file, place, one.path,
                                   "that file, or in place of the pattern a path for each number "
                                   "of devices, {\"16\": PATH}, and /machine/chip");
        }
    }
    return files;
}

/// The number in front of a path.
int count_of(const std::string& text, const std::string& place, const std::string& file)
{
    constexpr std::size_t most_digits = 7;
    if (text.empty() || text.size() > most_digits || text.front() == '0' ||
        text.find_first_not_of("0123456789") != std::string::npos) {
        throw InputError(file, place,
                         "found '" + text +
                             "'; allowed: a number of devices, as in {\"16\": PATH}");
    }
    return std::stoi(text);
}

std::vector<ProgramFile> files_by_devices(const Json& paths, const std::string& place,
                                          const std::string& file)
{
    std::vector<ProgramFile> files;
    for (const auto& [devices, named] : paths.items()) {
        const std::string path = resolve_path(named.get<std::string>(), file);
        files.push_back({path, sidecar_beside(path), count_of(devices, place, file)});
        const ProgramFile& one = files.back();
        const int compiled = one.sidecar ? compiled_for(one).devices : one.devices;
        if (compiled != one.devices) {
            throw InputError(file, place + "/" + devices,
                             "found " + file_name(path) + ", which " +
                                 file_name(sidecar_path(path)) + " says was compiled for " +
                                 std::to_string(compiled) + " devices; allowed: \"" +
                                 std::to_string(compiled) + "\" in front of it");
        }
    }
    return files;
}

using Files = std::vector<const ProgramFile*>;

/// Those for which something holds, or all where it holds for none.
void prefer(Files& files, const std::function<bool(const ProgramFile&)>& holds)
{
    Files kept;
    std::copy_if(files.begin(), files.end(), std::back_inserter(kept),
                 [&](const ProgramFile* one) { return holds(*one); });
    if (!kept.empty()) {
        files = kept;
    }
}

Files all_of(const std::vector<ProgramFile>& files)
{
    Files all;
    for (const ProgramFile& one : files) {
        all.push_back(&one);
    }
    return all;
}

int devices_of(const ProgramFile& one)
{
    return one.sidecar ? compiled_for(one).devices : one.devices;
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

int chips_of_shape(const std::string& shape)
{
    std::int64_t chips = 1;
    for (std::size_t begin = 0; begin < shape.size();) {
        const std::size_t end = std::min(shape.find('x', begin), shape.size());
        chips =
            std::min<std::int64_t>(chips * std::stoll(shape.substr(begin, end - begin)), 1 << 24);
        begin = end + 1;
    }
    return static_cast<int>(chips);
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
    const int compiled_cores = compiled.devices / has.devices * has.cores;
    const bool same_size = same_slices && said.value("cores", compiled_cores) == compiled_cores;
    if (!said.contains("slices") && same_size && slices > 1) {
        fields["slices"] = slices;
    }
    if (!said.contains("cores")) {
        fields["cores"] = said.contains("slice")
                              ? chips_of_shape(said.at("slice")) * slices * has.cores
                              : compiled_cores / compiled.slices * slices;
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

std::string file_name(const std::string& path)
{
    return std::filesystem::path(path).filename().string();
}

AskedProgram asked_program(const Json& program, const std::string& file)
{
    if (program.contains("hlo") == program.contains("variants")) {
        throw InputError(file, place_of_program,
                         program.contains("hlo")
                             ? "found hlo and variants; allowed: one of them"
                             : "missing field 'hlo'; allowed: hlo, or variants of it");
    }
    AskedProgram asked;
    asked.options = program;
    if (program.contains("hlo")) {
        asked.hlo = program.at("hlo");
        asked.place = std::string(place_of_program) + "/hlo";
        return asked;
    }
    const Json& variants = program.at("variants");
    asked.variant = program.value("variant", variants.items().begin().key());
    const auto found = variants.find(asked.variant);
    if (found == variants.end()) {
        std::vector<std::string> known;
        for (const auto& [name, of_it] : variants.items()) {
            known.push_back(name);
        }
        throw InputError(file, std::string(place_of_program) + "/variant",
                         "found '" + asked.variant + "'; allowed: " + join(known) +
                             did_you_mean(asked.variant, known));
    }
    asked.place = std::string(place_of_program) + "/variants/" + asked.variant;
    asked.hlo = *found;
    if (found->is_object()) {
        asked.hlo = found->at("hlo");
        asked.place += "/hlo";
        for (const char* given : {"assume", "trips", "branches"}) {
            if (found->contains(given)) {
                asked.options[given].update(found->at(given));
            }
        }
    }
    return asked;
}

std::vector<ProgramFile> program_files(const AskedProgram& asked, const std::string& file)
{
    std::vector<ProgramFile> files;
    if (asked.hlo.is_object()) {
        files = files_by_devices(asked.hlo, asked.place, file);
    } else {
        const auto named = asked.hlo.get<std::string>();
        if (is_file_pattern(named)) {
            files = files_of_pattern(named, asked.place, file);
        } else {
            const std::string path = resolve_path(named, file);
            files.push_back({path, sidecar_beside(path), 0});
        }
    }
    std::stable_sort(files.begin(), files.end(), [](const ProgramFile& a, const ProgramFile& b) {
        return key_of(a) < key_of(b);
    });
    for (std::size_t i = 1; i < files.size(); ++i) {
        if (key_of(files[i - 1]) == key_of(files[i])) {
            const CompiledFor compiled = compiled_for(files[i]);
            throw InputError(file, asked.place,
                             "found " + files[i - 1].path + " and " + files[i].path +
                                 ", both compiled for " + compiled.chip + " " + compiled.shape +
                                 "; allowed: one for each slice, or \"variants\" of the program");
        }
    }
    return files;
}

const ProgramFile& file_for(const std::vector<ProgramFile>& files,
                            const topologies::Machine& machine, const AskedProgram& asked,
                            const std::string& file)
{
    if (files.size() == 1 && files.front().devices == 0) {
        return files.front(); // lowering says where it does not fit the machine
    }
    Files like;
    std::vector<std::string> known;
    for (const ProgramFile& one : files) {
        known.push_back(std::to_string(devices_of(one)));
        if (devices_of(one) == machine.devices) {
            like.push_back(&one);
        }
    }
    if (like.empty()) {
        known.erase(std::unique(known.begin(), known.end()), known.end());
        throw InputError(file, asked.place,
                         "found no program for " + std::to_string(machine.devices) +
                             " devices; allowed: machines of " + join(known) +
                             " devices, or a file for this number, too");
    }
    prefer(like, [&](const ProgramFile& one) {
        return one.sidecar && compiled_for(one).slices == machine.slice.slices();
    });
    prefer(like, [&](const ProgramFile& one) {
        return one.sidecar && compiled_for(one).shape == machine.slice.shape();
    });
    prefer(like, [&](const ProgramFile& one) {
        return one.sidecar && compiled_for(one).chip == machine.preset.name();
    });
    return *like.front();
}

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
        return {{"cores", one.devices / has.devices * has.cores}};
    }
    return Json::object();
}

Named<std::vector<Json>> sweep_of_program(const Json& study, const std::string& file)
{
    Json said = said_machine(study);
    if (said.contains("cores") || said.contains("slice")) {
        return {};
    }
    if (said.contains("chip")) {
        const auto chip = topologies::chip_named(said.at("chip").get<std::string>());
        if (chip && chip->has_size()) {
            return {};
        }
        said["chip"] = topologies::preset_named(said.at("chip").get<std::string>());
    }
    const AskedProgram asked = asked_program(study.at("workload").at("program"), file);
    const std::vector<ProgramFile> files = program_files(asked, file);
    const Files like = like_machine(files, said, file);
    if (like.size() < 2) {
        return {};
    }
    Named<std::vector<Json>> values{{"/machine/cores", {}},
                                    {"/machine/slice", {}},
                                    {"/machine/chip", {}},
                                    {"/machine/slices", {}}};
    for (const ProgramFile* one : like) {
        if (!one->sidecar && !said.contains("chip")) {
            refuse_without_sidecar(file, "/machine", one->path, "/machine/chip");
        }
        const CompiledFor compiled = one->sidecar ? compiled_for(*one) : CompiledFor();
        const PerChip has = per_chip(said.value("chip", compiled.chip), file);
        values[0].second.emplace_back(devices_of(*one) / has.devices * has.cores);
        values[1].second.emplace_back(compiled.shape);
        values[2].second.emplace_back(compiled.chip);
        values[3].second.emplace_back(compiled.slices);
    }
    // As few fields as tell all files apart: a curve over cores where these do.
    for (std::size_t fields = 1; fields < values.size(); ++fields) {
        std::vector<std::string> told;
        for (std::size_t i = 0; i < like.size(); ++i) {
            told.emplace_back();
            for (std::size_t field = 0; field < fields; ++field) {
                told.back() += values[field].second[i].dump() + " ";
            }
        }
        std::sort(told.begin(), told.end());
        if (std::unique(told.begin(), told.end()) == told.end()) {
            values.resize(fields);
        }
    }
    return values;
}

} // namespace alxsim::hlo
