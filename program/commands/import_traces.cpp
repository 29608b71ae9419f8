// SPDX-License-Identifier: Apache-2.0
#include "program/commands/import_traces.h"

#include "base/file_output.h"
#include "base/input_error.h"
#include "base/text/printed.h"
#include "base/text/text_table.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/study/machine_request.h"
#include "model/graph/check.h"
#include "program/commands/app_words.h"
#include "program/commands/imported_graph.h"
#include "report/words.h"
#include "topologies/describe.h"
#include "workloads/import/chakra/chakra_file.h"
#include "workloads/import/hlo/lowering/op_times.h"
#include "workloads/import/kineto/kineto_file.h"
#include "workloads/import/trace/trace_graph.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

namespace alxsim::program {

using namespace experiments;

namespace {

namespace fs = std::filesystem;

struct TraceImportRequest {
    std::vector<std::string> files;
    std::string output; ///< "": no graph is written
    bool json = false;
    std::string chip, slice;
    std::function<traces::Trace(const std::string&)> read;
    bool prefixes = false; ///< a word may be PREFIX, for PREFIX.0.et, PREFIX.1.et, ...
};

/// Time of ops of one name together.
struct NamedTime {
    std::string name, work;
    std::int64_t calls = 0;
    double seconds = 0;
};

struct ImportedTraces {
    topologies::Machine machine;
    std::size_t files = 0;
    traces::TraceGraph lowered = {};
    double step_seconds = 0, alike_seconds = 0;
    std::vector<NamedTime> ops = {}; ///< the longest first
};

/// PREFIX.0.et, PREFIX.1.et, ...; none if there is no first. Throws InputError where one is missing
/// between others.
std::vector<std::string> files_of_prefix(const std::string& prefix)
{
    std::vector<std::string> files;
    for (std::string path = prefix + ".0.et"; fs::exists(path);
         path = prefix + "." + std::to_string(files.size()) + ".et") {
        files.push_back(path);
    }
    const fs::path folder =
        fs::path(prefix).has_parent_path() ? fs::path(prefix).parent_path() : fs::path(".");
    const std::string begin = fs::path(prefix).filename().string() + ".";
    std::size_t of_prefix = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const std::string number = name.size() > begin.size() + 3 && name.rfind(begin, 0) == 0 &&
                                           name.substr(name.size() - 3) == ".et"
                                       ? name.substr(begin.size(), name.size() - begin.size() - 3)
                                       : "";
        of_prefix +=
            !number.empty() && number.find_first_not_of("0123456789") == std::string::npos ? 1 : 0;
    }
    if (of_prefix > files.size()) {
        throw InputError(prefix, "",
                         "found " + std::to_string(of_prefix) + " traces, but no " + prefix + "." +
                             std::to_string(files.size()) +
                             ".et; allowed: one for each rank, from 0 on without a gap");
    }
    return files;
}

std::vector<std::string> files_of(const TraceImportRequest& request)
{
    std::vector<std::string> files;
    for (const std::string& word : request.files) {
        const std::vector<std::string> found = fs::exists(word) ? std::vector<std::string>{word}
                                               : request.prefixes && fs::exists(word + ".0.et")
                                                   ? files_of_prefix(word)
                                                   : std::vector<std::string>();
        if (found.empty()) {
            throw InputError(word, "",
                             request.prefixes
                                 ? "found neither this file nor " + word +
                                       ".0.et; allowed: a file for each rank, or what the names "
                                       "of PREFIX.0.et, PREFIX.1.et, ... begin with"
                                 : "found no such file; allowed: a file for each rank");
        }
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

/// Chips of "2x4"; 0 where it is no such text, which is refused elsewhere.
int chips_of(const std::string& slice)
{
    int chips = 1;
    std::istringstream lengths(slice);
    for (std::string length; std::getline(lengths, length, 'x');) {
        const bool digits = !length.empty() && length.size() < 6 &&
                            length.find_first_not_of("0123456789") == std::string::npos;
        const int of_axis = digits ? std::stoi(length) : 0;
        if (of_axis < 1 || of_axis > 1000000 / chips) {
            return 0;
        }
        chips *= of_axis;
    }
    return chips;
}

/// As many devices as there are traces, or, with one, as the slice has.
topologies::Machine machine_of_traces(const TraceImportRequest& request, std::size_t ranks)
{
    MachineRequest machine;
    machine.chip = request.chip;
    if (!request.slice.empty()) {
        machine.slice = request.slice;
    }
    machine = with_chip_named(machine, "command line");
    if (!machine.cores) {
        const auto preset = topologies::Preset::load(*machine.chip);
        const int of_chip = static_cast<int>(preset.number("tensorcores_per_chip"));
        const int of_device = of_chip / static_cast<int>(preset.number("devices_per_chip"));
        const int chips = chips_of(request.slice);
        machine.cores = ranks == 1 && !request.slice.empty() && chips > 0
                            ? chips * of_chip
                            : static_cast<int>(ranks) * of_device;
    }
    return machine_of(machine, "command line");
}

/// Ops of one name together.
std::vector<NamedTime> by_name(const hlo::ProgramTimes& times)
{
    std::map<std::pair<std::string, std::string>, NamedTime> named;
    for (const hlo::TimedOp& op : times.ops) {
        NamedTime& sum = named[{op.name, op.work}];
        sum.name = op.name;
        sum.work = op.work;
        sum.calls += op.times;
        sum.seconds += op.seconds;
    }
    std::vector<NamedTime> all;
    for (const auto& [key, time] : named) {
        all.push_back(time);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const NamedTime& a, const NamedTime& b) { return a.seconds > b.seconds; });
    return all;
}

ImportedTraces import_traces(const TraceImportRequest& request)
{
    const std::vector<std::string> files = files_of(request);
    std::vector<traces::Trace> read;
    for (const std::string& file : files) {
        read.push_back(request.read(file));
    }
    ImportedTraces imported{machine_of_traces(request, files.size()), files.size()};
    imported.lowered = traces::graph_of(read, imported.machine);
    const auto& graph = imported.lowered.graph;
    if (graph->ops.empty() && graph->roles.empty()) {
        throw InputError(files.front(), "",
                         "found no node that a device runs, of " +
                             std::to_string(imported.lowered.nodes) +
                             "; allowed: computations, collectives, messages or copies");
    }
    model::check(*graph, imported.machine);
    const hlo::ProgramTimes times = hlo::times_of(graph, imported.machine);
    imported.step_seconds = times.step_seconds;
    imported.alike_seconds =
        to_seconds(estimated_time(graph, without_host_program(imported.machine))).count();
    imported.ops = by_name(times);
    return imported;
}

void print_counts(const ImportedTraces& imported)
{
    const traces::TraceGraph& of = imported.lowered;
    std::cout << imported.files << (imported.files == 1 ? " trace" : " traces") << ": " << of.nodes
              << " nodes, " << of.mapped << " mapped, " << of.dropped << " dropped\n"
              << "computations of known time " << of.fixed << ", of known operations " << of.custom
              << "\n";
    for (const auto& [kind, bytes] : of.collective_bytes) {
        std::cout << kind << " " << in_thousands(bytes) << " bytes in "
                  << of.collective_calls.at(kind) << " calls\n";
    }
    if (of.messages > 0) {
        std::cout << "messages " << in_thousands(of.message_bytes) << " bytes in " << of.messages
                  << "\n";
    }
    if (!of.graph->roles.empty()) {
        std::cout << "ranks run " << of.graph->roles.size() << " different programs (roles)\n";
    }
}

void print_trace_times(const ImportedTraces& imported)
{
    std::cout << topologies::machine_in_words(imported.machine) << "\n"
              << "a step takes about " << report::seconds_in_words(imported.step_seconds)
              << " in a job, where devices wait for the slowest, "
              << report::seconds_in_words(imported.alike_seconds) << " if all are alike\n\n";
    std::vector<TableRow> rows{{"time", "calls", "work", "node"}};
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, imported.ops.size()); ++i) {
        const NamedTime& op = imported.ops[i];
        rows.push_back({report::seconds_in_words(op.seconds), std::to_string(op.calls), op.work,
                        op.name.substr(0, 70)});
    }
    std::cout << text_table(rows, {true, true, false, false}) << "\n";
}

Json trace_json(const ImportedTraces& imported)
{
    const traces::TraceGraph& of = imported.lowered;
    Json json{{"traces", imported.files},
              {"nodes", of.nodes},
              {"mapped", of.mapped},
              {"dropped", of.dropped},
              {"computations_of_known_time", of.fixed},
              {"computations_of_known_operations", of.custom},
              {"dependencies_elsewhere", of.elsewhere},
              {"collective_bytes", of.collective_bytes},
              {"calls", of.collective_calls},
              {"messages", of.messages},
              {"message_bytes", of.message_bytes},
              {"roles", of.graph->roles.size()},
              {"notes", of.notes},
              {"step_seconds", imported.step_seconds},
              {"step_seconds_if_devices_are_alike", imported.alike_seconds},
              {"ops", Json::array()}};
    for (const NamedTime& op : imported.ops) {
        json["ops"].push_back(
            {{"name", op.name}, {"work", op.work}, {"calls", op.calls}, {"seconds", op.seconds}});
    }
    return json;
}

int run_trace_import(const TraceImportRequest& request)
{
    const ImportedTraces imported = import_traces(request);
    if (!request.output.empty()) {
        write_file_atomically(request.output,
                              model::to_json(*imported.lowered.graph).dump() + "\n");
    }
    if (request.json) {
        std::cout << trace_json(imported).dump(2) << "\n";
        return 0;
    }
    print_counts(imported);
    print_trace_times(imported);
    for (const std::string& words : imported.lowered.notes) {
        std::cout << "note: " << words << "\n";
    }
    if (!request.output.empty()) {
        print_how_to_run(fs::path(request.output).stem().string(), request.output,
                         imported.machine);
    }
    return 0;
}

/// What the two commands differ in.
struct TraceCommand {
    const char* name;
    const char* about;
    const char* positional;
    const char* of_files;
    const char* footer;
};

void add_trace_import(CLI::App& parent, Action& action, const TraceCommand& words,
                      traces::Trace (*read)(const std::string&), bool prefixes)
{
    CLI::App* command = parent.add_subcommand(words.name, words.about);
    auto request = std::make_shared<TraceImportRequest>();
    request->read = read;
    request->prefixes = prefixes;
    command->add_option(words.positional, request->files, words.of_files)->required();
    command->add_option("-o,--output", request->output,
                        "File for the op graph, which 'alxsim op' and studies take");
    command->add_flag("--json", request->json, "Print JSON: counts are whole numbers");
    command
        ->add_option("--chip", request->chip,
                     "The chip that runs it, like v5e, or with the number of its devices, v5e-8")
        ->required()
        ->type_name(chip_type);
    command->add_option("--slice", request->slice,
                        "Chips per axis, like 2x4 (default: the listed shape for as many devices "
                        "as there are traces)");
    command->footer(words.footer);
    command->callback(
        [request, &action] { action = [request] { return run_trace_import(*request); }; });
}

} // namespace

void add_import_chakra(CLI::App& parent, Action& action)
{
    add_trace_import(
        parent, action,
        {"chakra", "Reads Chakra execution traces, as ASTRA-sim runs them", "PREFIX",
         "What the names of PREFIX.0.et, PREFIX.1.et, ... begin with, one for each "
         "rank; or these files, also as JSON or compressed (.gz)",
         "\nOne trace is what all devices do. What ran on the CPU is dropped; what waited for it "
         "waits for\nwhat it waited for. Computations take what they took where they were traced, "
         "unless num_ops and\ntensor_size say what they are; collectives and messages are timed on "
         "the slice.\n\n"
         "Like: alxsim import chakra traces/all_reduce --chip v5e --slice 2x4 -o graph.json\n"},
        traces::read_chakra_file, true);
}

void add_import_kineto(CLI::App& parent, Action& action)
{
    add_trace_import(
        parent, action,
        {"kineto", "Reads traces of the PyTorch profiler (Kineto's JSON)", "FILE",
         "The trace of each rank, also compressed (.gz); of one, all devices do the "
         "same",
         "\nKernels of a stream follow each other, and those of other streams that had ended "
         "before "
         "they began.\nComputations take what they took on the GPU; collectives of NCCL are timed "
         "on the slice, by \"Collective\nname\", \"In msg nelems\", \"dtype\" and \"Group "
         "size\". Gaps in which the GPU waited for the CPU are left out.\n\n"
         "Like: alxsim import kineto rank0.json.gz --chip v5e-8 -o graph.json\n"},
        traces::read_kineto_file, false);
}

} // namespace alxsim::program
