// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/program_files.h"

#include "base/file_pattern.h"
#include "base/input_error.h"
#include "base/paths.h"
#include "workloads/import/hlo/lowering/placement.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace alxsim::hlo {
namespace {

constexpr const char* place_of_program = "/workload/program";

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

} // namespace

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

int devices_of(const ProgramFile& one)
{
    return one.sidecar ? compiled_for(one).devices : one.devices;
}

void refuse_without_sidecar(const std::string& file, const std::string& place,
                            const std::string& path, const std::string& allowed)
{
    throw InputError(file, place,
                     "found no " + file_name(sidecar_path(path)) + " beside " + file_name(path) +
                         ", which would say for which chip and slice it was compiled "
                         "(alxsim-dump-hlo writes it); allowed: " +
                         allowed);
}

void prefer(Files& files, const std::function<bool(const ProgramFile&)>& holds)
{
    Files kept;
    std::copy_if(files.begin(), files.end(), std::back_inserter(kept),
                 [&](const ProgramFile* one) { return holds(*one); });
    if (!kept.empty()) {
        files = kept;
    }
}

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

} // namespace alxsim::hlo
