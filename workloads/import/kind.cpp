// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/kind.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "base/text/printed.h"
#include "model/graph/check.h"
#include "workloads/import/hlo/lowering/lowering.h"
#include "workloads/import/hlo/lowering/placement.h"
#include "workloads/import/hlo/sidecar.h"
#include "workloads/import/hlo/text/hlo_text.h"
#include "workloads/op_sources.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace alxsim::hlo {
namespace {

constexpr const char* place = "/workload/program";

/// The text that this many devices run.
std::string path_of(const Json& hlo, int devices, const std::string& file)
{
    if (hlo.is_string()) {
        return resolve_path(hlo.get<std::string>(), file);
    }
    const auto found = hlo.find(std::to_string(devices));
    if (found == hlo.end()) {
        std::vector<std::string> known;
        for (const auto& [count, path] : hlo.items()) {
            known.push_back(count);
        }
        throw InputError(file, std::string(place) + "/hlo",
                         "found no program for " + std::to_string(devices) +
                             " devices; allowed: machines of " + join(known) +
                             " devices, or a file for this number, too");
    }
    return resolve_path(found->get<std::string>(), file);
}

LoweringOptions options_of(const Json& asked)
{
    LoweringOptions options;
    options.trips = asked.value("trips", GivenTrips());
    options.branches = asked.value("branches", GivenBranches());
    options.assumed_seconds = asked.value("assume", std::map<std::string, double>());
    return options;
}

class ProgramJob : public workloads::Workload, public workloads::HasOpSources {
public:
    ProgramJob(Lowered lowered, std::string path, std::vector<std::string> notes, int devices)
        : lowered_(std::move(lowered)),
          path_(std::move(path)),
          notes_(std::move(notes)),
          devices_(devices)
    {
        model::StepGroup group;
        group.step.graph = lowered_.graph;
        program_.push_back(std::move(group));
        for (const auto& [name, origin] : lowered_.origins) {
            sources_[name] = {origin.op_name, origin.source, origin.category};
        }
    }

    std::string interval() const override { return "run of the program"; }
    std::string interval_plural() const override { return "runs of the program"; }
    const model::Program& program() const override { return program_; }
    std::vector<std::string> notes() const override { return notes_; }
    const workloads::OpSources& op_sources() const override { return sources_; }

    /// What is in the text, counted.
    workloads::Description describe() const override
    {
        const Accounts& accounts = lowered_.accounts;
        workloads::Description description;
        description.input = {{"hlo", std::filesystem::path(path_).filename().string()},
                             {"instructions", accounts.instructions},
                             {"mapped", accounts.mapped},
                             {"assumed_share", lowered_.assumed_share},
                             {"flops", accounts.total.flops},
                             {"matmul_flops", accounts.total.matmul_flops},
                             {"peak_bytes", accounts.memory.peak_bytes},
                             {"allocated_bytes", accounts.allocated_bytes}};
        return description;
    }

    std::optional<workloads::UsefulWork> useful_work() const override
    {
        workloads::UsefulWork work;
        work.operations = static_cast<double>(lowered_.accounts.total.matmul_flops) * devices_;
        work.unit = "runs";
        work.units = 1;
        return work;
    }

private:
    Lowered lowered_;
    std::string path_;
    std::vector<std::string> notes_;
    int devices_;
    model::Program program_;
    workloads::OpSources sources_;
};

/// "v5e 4x4", as both a machine and NAME.json say it.
std::string words_of(const topologies::Machine& machine)
{
    return machine.preset.name() + " " + machine.slice.shape() +
           (machine.slice.slices() > 1 ? " x " + std::to_string(machine.slice.slices()) : "");
}

/// What the program was compiled for, where that is not what it runs on.
std::string other_machine_note(const Sidecar& sidecar, const std::string& file,
                               const topologies::Machine& machine)
{
    const topologies::Machine compiled = machine_of(sidecar, file);
    return words_of(compiled) == words_of(machine)
               ? ""
               : "the program was compiled for " + words_of(compiled) + " and runs on " +
                     words_of(machine) +
                     " with the same code: its windows, fusions and collectives are not chosen "
                     "anew";
}

/// Bytes that XLA allocates, where the machine has fewer.
std::string allocation_note(const Accounts& accounts, const topologies::Machine& machine)
{
    const double usable = static_cast<double>(machine.device.usable_hbm.count());
    const auto allocated = static_cast<double>(accounts.allocated_bytes);
    return allocated <= usable
               ? ""
               : printed("XLA allocates %.4g GB a device", allocated / 1e9) +
                     printed(", of which there are %.4g: it would not load", usable / 1e9);
}

std::unique_ptr<workloads::Workload> make_job(const Json& study, const std::string& file,
                                              const topologies::Machine& machine)
{
    const Json& asked = study.at("workload").at("program");
    const std::string path = path_of(asked.at("hlo"), machine.devices, file);
    const Module module = read_hlo_file(path);
    const std::optional<Sidecar> sidecar = sidecar_beside(path);
    Lowered program = lowered(module, sidecar ? &*sidecar : nullptr, machine, options_of(asked));
    model::check(*program.graph, machine);
    std::vector<std::string> notes = program.notes;
    if (sidecar) {
        notes.push_back(other_machine_note(*sidecar, sidecar_path(path), machine));
        notes.push_back(allocation_note(program.accounts, machine));
    }
    notes.erase(std::remove(notes.begin(), notes.end(), ""), notes.end());
    return std::make_unique<ProgramJob>(std::move(program), path, std::move(notes),
                                        machine.devices);
}

Json schema_of_program()
{
    return Json::parse(R"({
        "description": "A program that XLA compiled for TPUs, read from its text.",
        "type": "object", "additionalProperties": false, "required": ["hlo"],
        "properties": {
            "hlo": {
                "description": "Path of NAME.hlo.txt (compiled.as_text() of JAX, also compressed), with NAME.json beside it; or such a path for each number of devices, {\"8\": PATH, \"64\": PATH}.",
                "anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}}]
            },
            "assume": {
                "description": "Seconds that instructions take each time that nobody knows the cost of, by opcode, target of a custom call, name or part of an op_name.",
                "type": "object", "additionalProperties": {"type": "number", "minimum": 0}
            },
            "trips": {
                "description": "How often loops turn that the text does not say, by their names.",
                "type": "object", "additionalProperties": {"type": "integer", "minimum": 0}
            },
            "branches": {
                "description": "Which branch, from 0, conditionals take, by their names; left out: the dearest.",
                "type": "object", "additionalProperties": {"type": "integer", "minimum": 0}
            }
        }
    })");
}

} // namespace

workloads::Kind program_kind()
{
    workloads::Kind kind;
    kind.name = "program";
    kind.fields["program"] = schema_of_program();
    kind.make = make_job;
    kind.has_numbers = false;
    kind.whole_fields = {"program"};
    kind.input_hint =
        "the infeeds of the program are timed, what the host does to feed them is not";
    kind.help =
        "            program {\"hlo\": PATH}: a program that XLA compiled, NAME.hlo.txt with "
        "NAME.json\n"
        "            beside it (see 'alxsim import hlo --help')\n";
    return kind;
}

} // namespace alxsim::hlo
