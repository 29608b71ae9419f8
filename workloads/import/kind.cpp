// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/kind.h"

#include "base/text/printed.h"
#include "model/graph/check.h"
#include "workloads/collective_groups.h"
#include "workloads/import/assumed_work.h"
#include "workloads/import/hlo/lowering/lowering.h"
#include "workloads/import/hlo/lowering/placement.h"
#include "workloads/import/hlo/text/hlo_text.h"
#include "workloads/import/program_files.h"
#include "workloads/import/program_machine.h"
#include "workloads/op_sources.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace alxsim::hlo {
namespace {

constexpr const char* program_place = "/workload/program";
constexpr const char* variant_choice = "variant";

LoweringOptions options_of(const Json& asked, const std::string& file)
{
    LoweringOptions options;
    options.trips = asked.value("trips", GivenTrips());
    options.branches = asked.value("branches", GivenBranches());
    const Json assumed = asked.value("assume", Json::object()); // outlives what walks through it
    for (const auto& [name, value] : assumed.items()) {
        options.assumed[name] =
            assumption_of(value, file, std::string(program_place) + "/assume/" + name);
    }
    return options;
}

/// Whether what XLA says that it allocates decides on fit, rather than our count of what is alive.
/// Where a device has as much memory as the one that it compiled for, it has accepted the program:
/// its statistics add up to more than a device has in 5 of 9 published jobs that it compiled.
bool xla_decides(const Json& asked, const Sidecar& sidecar, const std::string& file,
                 const topologies::Machine& machine)
{
    return asked.value("fits_by", "xla") == "xla" && sidecar.memory &&
           machine.device.usable_hbm < machine_of(sidecar, file).device.usable_hbm;
}

/// A program as a study names it.
struct ProgramParts {
    Lowered lowered;
    std::string path;
    std::vector<std::string> notes;
    std::optional<Bytes> allocated; ///< by XLA, where that decides
    workloads::Choices choices;
};

class ProgramJob : public workloads::Workload, public workloads::HasOpSources {
public:
    ProgramJob(ProgramParts parts, const topologies::Machine& machine)
        : parts_(std::move(parts)),
          collectives_(workloads::groups_of_collectives(*parts_.lowered.graph, machine)),
          devices_(machine.devices)
    {
        model::StepGroup group;
        group.step.graph = parts_.lowered.graph;
        program_.push_back(std::move(group));
        for (const auto& [name, origin] : parts_.lowered.origins) {
            sources_[name] = {origin.op_name, origin.source, origin.category};
        }
    }

    std::string interval() const override { return "run of the program"; }
    std::string interval_plural() const override { return "runs of the program"; }
    const model::Program& program() const override { return program_; }
    std::vector<std::string> notes() const override { return parts_.notes; }
    std::optional<Bytes> compiled_bytes() const override { return parts_.allocated; }
    workloads::Choices choices() const override { return parts_.choices; }
    const workloads::OpSources& op_sources() const override { return sources_; }

    /// What is in the text, counted.
    workloads::Description describe() const override
    {
        const Accounts& accounts = parts_.lowered.accounts;
        workloads::Description description;
        description.input = {{"hlo", file_name(parts_.path)},
                             {"instructions", accounts.instructions},
                             {"mapped", accounts.mapped},
                             {"assumed_share", parts_.lowered.assumed_share},
                             {"flops", accounts.total.flops},
                             {"matmul_flops", accounts.total.matmul_flops},
                             {"peak_bytes", accounts.memory.peak_bytes},
                             {"allocated_bytes", accounts.allocated_bytes}};
        description.assumed = assumed_work(parts_.lowered);
        return description;
    }

    std::vector<workloads::OpGroups> op_groups() const override
    {
        std::vector<workloads::OpGroups> groups{{"source line", {}, "no line is told"}};
        for (const auto& [op, origin] : parts_.lowered.origins) {
            if (!origin.source.empty()) {
                groups.front().of_op.emplace(op, origin.source);
            }
        }
        groups.insert(groups.end(), collectives_.begin(), collectives_.end());
        return groups;
    }

    std::optional<workloads::UsefulWork> useful_work() const override
    {
        workloads::UsefulWork work;
        work.operations =
            static_cast<double>(parts_.lowered.accounts.total.matmul_flops) * devices_;
        work.unit = "runs";
        work.units = 1;
        return work;
    }

private:
    ProgramParts parts_;
    std::vector<workloads::OpGroups> collectives_;
    int devices_;
    model::Program program_;
    workloads::OpSources sources_;
};

/// "tpu_v5e 4x4", as both a machine and NAME.json say it.
std::string words_of(const topologies::Machine& machine)
{
    return machine.preset.name() + " " + machine.slice.shape() +
           (machine.slice.slices() > 1 ? " x " + std::to_string(machine.slice.slices()) : "");
}

/// Whether the machine is the one that the program was compiled for.
std::string machine_note(const Sidecar& sidecar, const std::string& file,
                         const topologies::Machine& machine)
{
    const topologies::Machine compiled = machine_of(sidecar, file);
    if (words_of(compiled) != words_of(machine)) {
        return "the program was compiled for " + words_of(compiled) + " and runs on " +
               words_of(machine) +
               " with the same code: its windows, fusions and collectives are not chosen "
               "anew";
    }
    if (!machine.preset.overridden_keys().empty()) {
        return "the program was compiled for " + words_of(compiled) +
               " and runs with the same code where values of the chip are overridden";
    }
    return compiled.slice.axes() == machine.slice.axes()
               ? std::string(sidecar.wrap ? "chip, slice and its rings" : "chip and slice") +
                     " are as " + file_name(file) + " has them: " + words_of(machine)
               : "the axes of the slice are rings otherwise than " + file_name(file) +
                     " says, for which collectives were chosen";
}

/// Which figure of memory decides.
std::string memory_note(const ProgramFile& program, const Json& asked, const Accounts& accounts,
                        const topologies::Machine& machine)
{
    const auto gigabytes = [](const char* format, std::int64_t bytes) {
        return printed(format, static_cast<double>(bytes) / 1e9);
    };
    if (!program.sidecar || !program.sidecar->memory) {
        return "whether the program fits is judged by our own count of what is alive: no " +
               file_name(sidecar_path(program.path)) + " says what XLA allocates";
    }
    const std::int64_t usable = machine.device.usable_hbm.count();
    if (!xla_decides(asked, *program.sidecar, sidecar_path(program.path), machine)) {
        return accounts.allocated_bytes <= usable
                   ? ""
                   : "XLA's statistics add up to " +
                         gigabytes("%.4g GB a device", accounts.allocated_bytes) +
                         gigabytes(", of which there are %.4g", usable) +
                         gigabytes("; whether the program fits is judged by what is alive at once, "
                                   "%.4g, since the compiler accepts more for such a device than "
                                   "these statistics say, or fits_by asks for it",
                                   accounts.memory.peak_bytes);
    }
    return accounts.allocated_bytes <= usable || accounts.memory.peak_bytes > usable
               ? ""
               : "XLA allocates " + gigabytes("%.4g GB a device", accounts.allocated_bytes) +
                     gigabytes(", of which there are %.4g", usable) +
                     gigabytes("; alive at once are %.4g, so that another packing might fit: "
                               "\"fits_by\": \"count\" goes by these",
                               accounts.memory.peak_bytes);
}

/// Each variant of a program, the study's first.
workloads::Choices choices_among(const Json& program, const AskedProgram& asked)
{
    workloads::Choices choices;
    if (asked.variant.empty() || program.at("variants").size() < 2) {
        return choices;
    }
    workloads::Choice variants{variant_choice, {{}}};
    for (const auto& [name, of_it] : program.at("variants").items()) {
        if (name != asked.variant) {
            variants.options.push_back(
                {"variant " + name, {{"/workload/program/variant", name}}, false, ""});
        }
    }
    choices.list.push_back(std::move(variants));
    choices.blocks = {{variant_choice, workloads::slice_choice}};
    choices.by_interest = {variant_choice};
    choices.compared = {variant_choice};
    return choices;
}

std::unique_ptr<workloads::Workload> make_job(const Json& study, const std::string& file,
                                              const topologies::Machine& machine)
{
    const Json& program = study.at("workload").at("program");
    const AskedProgram asked = asked_program(program, file);
    const std::vector<ProgramFile> files = program_files(asked, file);
    const ProgramFile& one = file_for(files, machine, asked, file);
    const Module module = read_hlo_file(one.path);
    ProgramParts parts{lowered(module, one.sidecar ? &*one.sidecar : nullptr, machine,
                               options_of(asked.options, file)),
                       one.path,
                       {},
                       {},
                       choices_among(program, asked)};
    model::check(*parts.lowered.graph, machine);
    parts.notes = parts.lowered.notes;
    if (one.sidecar) {
        parts.notes.push_back(machine_note(*one.sidecar, sidecar_path(one.path), machine));
        if (xla_decides(program, *one.sidecar, sidecar_path(one.path), machine)) {
            parts.allocated = Bytes(one.sidecar->memory->allocated());
        }
    }
    const std::string memory = memory_note(one, program, parts.lowered.accounts, machine);
    if (!memory.empty()) {
        parts.notes.push_back(memory);
    }
    return std::make_unique<ProgramJob>(std::move(parts), machine);
}

Json schema_of_program()
{
    return Json::parse(R"({
        "description": "A program that XLA compiled for TPUs, read from its text.",
        "type": "object", "additionalProperties": false,
        "properties": {
            "hlo": {
                "description": "Path of NAME.hlo.txt (compiled.as_text() of JAX, also compressed), with NAME.json beside it, from which chip and slice come where the machine does not say them. Several files, each for a slice of its own, are a curve: as a pattern, \"v5e_*/step.hlo.txt.gz\" (* any letters, ? one, {4x4,4x8} one of these), or as a path for each number of devices, {\"8\": PATH, \"64\": PATH}. [variants]",
                "anyOf": [{"type": "string"}, {"$ref": "#/definitions/program_by_devices"}]
            },
            "variants": {
                "description": "In place of hlo, programs among which advise chooses, by names of yours: what hlo may be, or an object of hlo with an assume, trips and branches of its own.",
                "type": "object", "minProperties": 1,
                "additionalProperties": {"anyOf": [{"type": "string"}, {"$ref": "#/definitions/program_variant"}]},
                "examples": [{"fsdp": "fsdp/step.hlo.txt.gz", "tensor": "tensor/step.hlo.txt.gz"}]
            },
            "variant": {"description": "Which of the variants runs. [the first]", "type": "string"},
            "fits_by": {
                "description": "What decides whether the program fits into HBM. xla: on a device with less memory than the one that it was compiled for, what XLA allocates, of NAME.json, packing included; else, as count, since the compiler has accepted it. count: our own count of what is alive at once.",
                "enum": ["xla", "count"], "default": "xla"
            },
            "assume": {
                "description": "What nobody knows the cost of, by opcode, target of a custom call, name of an instruction or part of an op_name: the seconds that it takes each time; \"attention\" for kernels of causal attention, which are priced by their shapes; \"attention_of_all\" for those that are not causal.",
                "type": "object", "additionalProperties": {"anyOf": [{"type": "number", "minimum": 0}, {"enum": ["attention", "attention_of_all"]}]}
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

/// A variant has the fields of a program but those that tell variants apart.
Json definitions_of_program()
{
    Json by_devices = Json::parse(R"({
        "description": "Number of devices -> path.",
        "type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}
    })");
    Json fields = schema_of_program().at("properties");
    for (const char* own : {"variants", "variant", "fits_by"}) {
        fields.erase(own);
    }
    const Json variant{{"type", "object"},
                       {"additionalProperties", false},
                       {"required", {"hlo"}},
                       {"properties", fields}};
    return {{"program_by_devices", by_devices}, {"program_variant", variant}};
}

} // namespace

workloads::Kind program_kind()
{
    workloads::Kind kind;
    kind.name = "program";
    kind.fields["program"] = schema_of_program();
    kind.definitions = definitions_of_program();
    kind.machine = machine_of_program;
    kind.sweep = sweep_of_program;
    kind.choices = {variant_choice};
    kind.make = make_job;
    kind.has_numbers = false;
    kind.same_everywhere =
        "the code stays the one that was compiled: for such a machine the compiler "
        "might choose other windows, fusions and collectives";
    kind.whole_fields = {"program"};
    kind.input_hint =
        "the infeeds of the program are timed, what the host does to feed them is not";
    kind.help =
        "            program {\"hlo\": PATH}: a program that XLA compiled, NAME.hlo.txt with "
        "NAME.json\n"
        "            beside it, which says chip and slice (see 'alxsim import hlo --help'); a "
        "pattern for\n"
        "            a curve over slices; {\"variants\": {NAME: PATH, ...}} to compare several\n";
    return kind;
}

} // namespace alxsim::hlo
