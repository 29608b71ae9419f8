// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"
#include "workloads/import/hlo/sidecar.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// "step.json" of a path.
std::string file_name(const std::string& path);

/// What of a study's /workload/program counts at a point: a program, or one of its variants.
struct AskedProgram {
    Json hlo;            ///< a path, a pattern, or a path for each number of devices
    std::string place;   ///< JSON pointer of it
    std::string variant; ///< "": it has none
    Json options;        ///< with assume, trips and branches, those of the variant included
};

/// Throws InputError for a variant that is none.
AskedProgram asked_program(const Json& program, const std::string& file);

/// One text of a program, with what is said of it.
struct ProgramFile {
    std::string path;
    std::optional<Sidecar> sidecar; ///< what stands beside it
    int devices = 0;                ///< as the study says it, in front of the path; 0: it does not
};

/// What NAME.json says that a program was compiled for.
struct CompiledFor {
    std::string chip, shape; ///< by the preset's name; "4x4"
    int cores = 0, devices = 0, chips = 0, slices = 1;
    std::vector<bool> wrap;
};

/// Reads it for a text beside which it stands. Throws InputError for a slice that is none.
CompiledFor compiled_for(const ProgramFile& one);
/// How many devices run it; 0: nobody says.
int devices_of(const ProgramFile& one);

/// Throws InputError that nothing beside a text says for what it was compiled.
[[noreturn]] void refuse_without_sidecar(const std::string& file, const std::string& place,
                                         const std::string& path, const std::string& allowed);

using Files = std::vector<const ProgramFile*>;
/// Leaves those for which something holds, or all where it holds for none.
void prefer(Files& files, const std::function<bool(const ProgramFile&)>& holds);

/// All texts that a program names, those for fewer chips first. Throws InputError for a pattern
/// that no file fits, for one of several files beside which nothing says its slice, and for two
/// for one slice of one chip.
std::vector<ProgramFile> program_files(const AskedProgram& asked, const std::string& file);

/// The text that a machine runs: the one for its slice and chip, else for so many devices. Throws
/// InputError where there is none.
const ProgramFile& file_for(const std::vector<ProgramFile>& files,
                            const topologies::Machine& machine, const AskedProgram& asked,
                            const std::string& file);

} // namespace alxsim::hlo
