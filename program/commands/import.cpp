// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"
#include "base/input_error.h"
#include "base/text/printed.h"
#include "base/text/text_table.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/timing/time_tables.h"
#include "model/graph/check.h"
#include "model/graph/memory.h"
#include "program/commands/app_words.h"
#include "program/commands/commands.h"
#include "program/commands/import_traces.h"
#include "program/commands/imported_graph.h"
#include "program/requests/quantities.h"
#include "report/words.h"
#include "topologies/describe.h"
#include "workloads/import/assumed_work.h"
#include "workloads/import/hlo/lowering/lowering.h"
#include "workloads/import/hlo/lowering/op_times.h"
#include "workloads/import/hlo/lowering/placement.h"
#include "workloads/import/hlo/text/hlo_text.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

namespace alxsim::program {

using namespace experiments;

namespace {

/// What `alxsim import hlo` is asked.
struct ImportRequest {
    std::string file;
    std::string output; ///< "": no graph is written
    bool json = false;
    std::string chip, slice;
    std::vector<std::string> trips, branches, assumed;
};

/// A program with what was found out about it.
struct Imported {
    hlo::Module module;
    std::optional<hlo::Sidecar> sidecar;
    topologies::Machine machine;
    hlo::Lowered lowered = {};
    hlo::ProgramTimes times = {};
    double assumed_time_share = 0; ///< of a step without its dispatch, on what is assumed
    double alike_seconds = 0; ///< of a step if no device is slower than another, as 'op' has it
};

/// NAME=VALUE.
std::pair<std::string, std::string> setting_of(const std::string& option, const std::string& text)
{
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
        throw InputError(option, text, "is not of the form NAME=VALUE");
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, std::int64_t> counts_of(const std::string& option,
                                              const std::vector<std::string>& settings)
{
    std::map<std::string, std::int64_t> counts;
    for (const std::string& setting : settings) {
        const auto [name, value] = setting_of(option, setting);
        const Json number = parse_json_or_string(value, option);
        if (!number.is_number_integer() || number.get<std::int64_t>() < 0) {
            throw InputError(option, setting,
                             "is no count; allowed: NAME=N, N whole and 0 or more");
        }
        counts[name] = number.get<std::int64_t>();
    }
    return counts;
}

hlo::LoweringOptions options_of_import(const ImportRequest& request)
{
    hlo::LoweringOptions options;
    options.trips = counts_of("--trip", request.trips);
    options.branches = counts_of("--branch", request.branches);
    for (const std::string& setting : request.assumed) {
        const auto [name, value] = setting_of("--assume", setting);
        const bool words = value == "attention" || value == "attention_of_all";
        options.assumed[name] = words ? hlo::assumption_of(value, "--assume", setting)
                                      : hlo::Assumption::of_seconds(duration_of("--assume", value));
    }
    return options;
}

/// Makes that of --chip and --slice, else of the file beside the text.
topologies::Machine machine_of_import(const ImportRequest& request,
                                      const std::optional<hlo::Sidecar>& sidecar,
                                      std::int64_t partitions)
{
    if (request.chip.empty()) {
        if (!sidecar) {
            throw InputError("--chip", "",
                             "is missing: no " + hlo::sidecar_path(request.file) +
                                 " says for which chip the program was compiled; allowed: a chip, "
                                 "like v5e or v5e-256, and --slice for its shape");
        }
        return hlo::machine_of(*sidecar, hlo::sidecar_path(request.file));
    }
    MachineRequest machine;
    machine.chip = request.chip;
    if (!request.slice.empty()) {
        machine.slice = request.slice;
    }
    machine = with_chip_named(machine, "command line");
    if (!machine.cores) {
        const auto preset = topologies::Preset::load(*machine.chip);
        machine.cores =
            static_cast<int>(partitions) * static_cast<int>(preset.number("tensorcores_per_chip") /
                                                            preset.number("devices_per_chip"));
    }
    return machine_of(machine, "command line");
}

/// Tells of a program that holds what nobody knows the time of what was counted all the same.
void print_refused(const hlo::Module& module, const hlo::LoweringOptions& options,
                   const hlo::Sidecar* sidecar)
{
    hlo::AccountOptions account{options.trips, options.branches, {}};
    for (const auto& [name, assumption] : options.assumed) {
        account.assumed.insert(name);
    }
    const hlo::Accounts accounts = hlo::accounts_of(module, account, sidecar);
    if (!accounts.problems.empty()) {
        std::cout << hlo::to_json(accounts).dump(2) << "\n";
    }
}

Imported import_program(const ImportRequest& request)
{
    hlo::Module module = hlo::read_hlo_file(request.file);
    std::optional<hlo::Sidecar> beside = hlo::sidecar_beside(request.file);
    topologies::Machine machine = machine_of_import(request, beside, hlo::participants(module));
    Imported program{std::move(module), std::move(beside), std::move(machine)};
    const hlo::Sidecar* const sidecar = program.sidecar ? &*program.sidecar : nullptr;
    const hlo::LoweringOptions options = options_of_import(request);
    if (request.json) {
        print_refused(program.module, options, sidecar);
    }
    program.lowered = hlo::lowered(program.module, sidecar, program.machine, options);
    model::check(*program.lowered.graph, program.machine);
    program.times = hlo::times_of(program.lowered, program.machine);
    program.alike_seconds =
        to_seconds(estimated_time(program.lowered.graph, without_host_program(program.machine)))
            .count();
    const topologies::Machine alone = without_host_program(program.machine);
    model::AnalyticModel model(alone);
    program.assumed_time_share = share_of_ops({{{program.lowered.graph, {}}, 1}},
                                              hlo::assumed_work(program.lowered).ops, model);
    return program;
}

std::string gigabytes_in_words(std::int64_t bytes)
{
    return printed("%.2f GB", static_cast<double>(bytes) / 1e9);
}

std::string percent_apart(double ours, double theirs)
{
    return theirs > 0 ? printed("%+.2f %%", 100 * (ours / theirs - 1)) : "";
}

void print_import_counts(const Imported& program)
{
    const hlo::Accounts& accounts = program.lowered.accounts;
    std::cout << program.module.name << ": " << accounts.instructions << " instructions, "
              << accounts.mapped << " mapped, " << accounts.free << " free, "
              << accounts.unmapped.size() << " unmapped\n";
    std::cout << "FLOP " << in_thousands(accounts.total.flops) << ", of products "
              << in_thousands(accounts.total.matmul_flops);
    if (program.sidecar && program.sidecar->cost.flops) {
        std::cout << "; loops once " << in_thousands(accounts.once.flops) << ", XLA's "
                  << in_thousands(static_cast<std::int64_t>(*program.sidecar->cost.flops)) << " ("
                  << percent_apart(static_cast<double>(accounts.once.flops),
                                   *program.sidecar->cost.flops)
                  << ")";
    }
    std::cout << "\n";
    for (const auto* counts : {&accounts.collectives, &accounts.dcn}) {
        for (const auto& [kind, bytes] : counts->bytes) {
            std::cout << kind << (counts == &accounts.dcn ? " between slices " : " ")
                      << in_thousands(bytes) << " bytes in " << counts->calls.at(kind)
                      << " calls\n";
        }
    }
}

void print_import_memory(const Imported& program)
{
    const hlo::LiveMemory& memory = program.lowered.accounts.memory;
    std::cout << "memory of a device " << gigabytes_in_words(memory.peak_bytes) << ", arguments "
              << gigabytes_in_words(memory.arguments_bytes);
    if (program.sidecar && program.sidecar->memory) {
        std::cout << "; XLA's peak " << gigabytes_in_words(program.sidecar->memory->peak)
                  << " (all memories; ours of that kind "
                  << gigabytes_in_words(memory.xla_peak_bytes) << "), allocated "
                  << gigabytes_in_words(program.sidecar->memory->allocated());
    }
    std::cout << "; usable " << gigabytes_in_words(program.machine.device.usable_hbm.count())
              << "\n";
}

/// What a study of the program adds to its step.
std::string dispatch_in_words(const topologies::Machine& machine)
{
    const double seconds = machine.preset.number("step_dispatch_s");
    return seconds > 0 ? "; a study adds the host's dispatch, " +
                             report::seconds_in_words(seconds) + " a step"
                       : "";
}

void print_times(const Imported& program)
{
    std::cout << topologies::machine_in_words(program.machine) << "\n"
              << "a step takes about " << report::seconds_in_words(program.times.step_seconds)
              << " in a job, where devices wait for the slowest, "
              << report::seconds_in_words(program.alike_seconds)
              << " if all are alike; its products at full rate "
              << report::seconds_in_words(program.times.products_at_peak_seconds)
              << dispatch_in_words(program.machine) << "\n"
              << assumed_in_words(program.assumed_time_share,
                                  hlo::assumed_work(program.lowered).words, "a step")
              << "\n\n";
    std::vector<TableRow> rows{{"time", "calls", "work", "instruction", "phase", "source"}};
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, program.times.ops.size()); ++i) {
        const hlo::TimedOp& op = program.times.ops[i];
        const hlo::OpOrigin& origin = program.lowered.origins.at(op.name);
        rows.push_back({report::seconds_in_words(op.seconds), std::to_string(op.times), op.work,
                        origin.instruction, op.phase, origin.source});
    }
    std::cout << text_table(rows, {true, true, false, false, false, false}) << "\n";
}

Json import_json(const Imported& program)
{
    Json json = hlo::to_json(program.lowered.accounts);
    json["notes"] = program.lowered.notes;
    json["phases"] = program.lowered.phases;
    json["assumed_share"] = program.lowered.assumed_share;
    json["assumed_time_share"] = program.assumed_time_share;
    json["step_seconds"] = program.times.step_seconds;
    json["step_seconds_if_devices_are_alike"] = program.alike_seconds;
    json["products_at_peak_seconds"] = program.times.products_at_peak_seconds;
    json["ops"] = Json::array();
    for (const hlo::TimedOp& op : program.times.ops) {
        const hlo::OpOrigin& origin = program.lowered.origins.at(op.name);
        json["ops"].push_back({{"name", op.name},
                               {"instruction", origin.instruction},
                               {"work", op.work},
                               {"phase", op.phase},
                               {"source", origin.source},
                               {"calls", op.times},
                               {"seconds", op.seconds},
                               {"assumed", origin.assumed}});
    }
    return json;
}

int run_import(const ImportRequest& request)
{
    const Imported program = import_program(request);
    if (!request.output.empty()) {
        write_file_atomically(request.output, model::to_json(*program.lowered.graph).dump() + "\n");
    }
    if (request.json) {
        std::cout << import_json(program).dump(2) << "\n";
        return 0;
    }
    print_import_counts(program);
    print_import_memory(program);
    print_times(program);
    for (const std::string& words : program.lowered.notes) {
        std::cout << "note: " << words << "\n";
    }
    if (!request.output.empty()) {
        print_how_to_run(std::string(program.module.name), request.output, program.machine);
    }
    return 0;
}

void add_import_hlo(CLI::App& parent, Action& action)
{
    CLI::App* command = parent.add_subcommand(
        "hlo", "Reads HLO text that XLA compiled for TPUs (compiled.as_text() of JAX)");
    auto request = std::make_shared<ImportRequest>();
    command
        ->add_option("FILE", request->file,
                     "NAME.hlo.txt, also compressed (.gz); NAME.json beside it says for which "
                     "chip and slice it was compiled")
        ->required()
        ->check(CLI::ExistingFile);
    command->add_option("-o,--output", request->output,
                        "File for the op graph, which 'alxsim op' and studies take");
    command->add_flag("--json", request->json, "Print JSON: counts are whole numbers");
    command
        ->add_option("--chip", request->chip,
                     "The chip that it was compiled for, like v5e or v5e-256, where no NAME.json "
                     "says so, or another")
        ->type_name(chip_type);
    command->add_option("--slice", request->slice, "Chips per axis, like 4x4x4, with --chip");
    command
        ->add_option("--trip", request->trips,
                     "NAME=N: how often a loop turns that the text does not say; repeatable")
        ->allow_extra_args(false);
    command
        ->add_option("--branch", request->branches,
                     "NAME=N: which branch, from 0, a conditional takes (default: the dearest); "
                     "repeatable")
        ->allow_extra_args(false);
    command
        ->add_option("--assume", request->assumed,
                     "NAME=SECONDS: what an instruction takes each time that nobody knows the cost "
                     "of, by its opcode, its target, its name, or a part of its op_name; or "
                     "NAME=attention: a kernel of causal attention, by its shapes "
                     "(attention_of_all: not causal); repeatable")
        ->allow_extra_args(false);
    command->footer(
        "\nThe program need not have run: libtpu compiles for slices that nobody owns, on any "
        "Linux machine\n(pip install 'jax[tpu]'). alxsim-dump-hlo writes both files. HLO text says "
        "every op, layout, buffer and\ncollective that each device will run, and in which order; "
        "NAME.json says which chip runs which partition:\n"
        "  {\"topology\": \"v5e:4x4\", \"slices\": 1, \"wrap\": [false, false],\n"
        "   \"assignment\": [{\"partition\": 0, \"id\": 0, \"coords\": [0, 0, 0], \"core\": 0, "
        "\"slice\": 0}, ...]}\n"
        "Kernels (Pallas) count by their cost_estimate; those without one, and linear algebra of "
        "the compiler's,\nare refused by name until --assume says what they take.\n\n"
        "Like: alxsim import hlo step.hlo.txt.gz -o graph.json\n"
        "      alxsim import hlo step.hlo.txt --chip v5e-16 --trip while.3=12 "
        "--assume splash_mha=attention --json\n");
    command->callback([request, &action] { action = [request] { return run_import(*request); }; });
}

} // namespace

void add_import(CLI::App& app, Action& action)
{
    CLI::App* command =
        app.add_subcommand("import", "Makes an op graph of a program or a trace of one's own");
    command->require_subcommand(1);
    add_import_hlo(*command, action);
    add_import_chakra(*command, action);
    add_import_kineto(*command, action);
}

} // namespace alxsim::program
