// SPDX-License-Identifier: Apache-2.0
#include "base/text/printed.h"
#include "program/commands/app_words.h"
#include "program/commands/commands.h"
#include "program/commands/trace_options.h"
#include "program/requests/op_answer.h"
#include "program/requests/op_request.h"
#include "report/words.h"
#include "topologies/describe.h"
#include "workloads/registry.h"

#include <iostream>
#include <memory>

namespace alxsim::program {

using namespace experiments;

namespace {

/// The lines on work that computes numbers.
std::string numbered_help()
{
    std::string lines;
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [name, work] : kind.works) {
            lines += work.help;
        }
    }
    return lines;
}

/// Six digits of a number that has more, and of seconds what people call them.
std::string told(const std::string& key, const Json& value)
{
    static const std::string seconds = "seconds";
    if (!value.is_number_float()) {
        return value.is_string() ? value.get<std::string>() : value.dump();
    }
    const auto number = value.get<double>();
    const bool is_time = key.size() >= seconds.size() &&
                         key.compare(key.size() - seconds.size(), seconds.size(), seconds) == 0;
    return printed("%.6g", number) +
           (is_time ? "  (" + report::seconds_in_words(number) + ")" : "");
}

void print(const Json& result, const std::string& indent)
{
    for (const auto& [key, value] : result.items()) {
        if (value.is_object()) {
            continue; // for programs: the algorithm, which `schedule` tells in words
        }
        std::cout << indent << key << std::string(key.size() < 24 ? 24 - key.size() : 1, ' ')
                  << told(key, value) << "\n";
    }
}

void print_machine(const topologies::Machine& machine)
{
    std::cout << topologies::machine_in_words(machine) << "\n";
}

int run_op(const OpRequest& request)
{
    const topologies::Machine machine = machine_for(request);
    const GivenOps given = given_ops(request.op);
    const OpAnswer answer = answer_of_op(given, request, machine);
    for (const std::string& words : answer.notes) {
        std::cerr << "note: " << words << "\n";
    }
    if (request.json) {
        std::cout << answer.result.dump(2) << "\n";
    } else if (given.json.is_array()) {
        print_machine(machine);
        for (std::size_t i = 0; i < answer.result.size(); ++i) {
            std::cout << "op " << i << "  " << given.json.at(i).dump() << "\n";
            print(answer.result.at(i), "    ");
        }
    } else {
        if (answer.result.contains("simulated_seconds")) {
            print_machine(machine);
        }
        print(answer.result, "  ");
    }
    return 0;
}

} // namespace

void add_op(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "op", "Times one op alone: bound, closed form, simulation, and what limits it");
    auto request = std::make_shared<OpRequest>();
    command
        ->add_option("OP", request->op,
                     "The op as JSON, like {\"work\":\"matmul\",\"m\":1024,\"k\":1024,\"n\":1024}; "
                     "a list of ops, each timed by itself; an op graph {\"ops\":[...]} or "
                     "{\"roles\":[...]}, timed as a whole; or a file with one of these")
        ->required();
    command
        ->add_option("--chip", request->chip,
                     "A chip's name, also with a size: tpu_v5e, v5e-16, v4-8; or a preset's path")
        ->type_name(chip_type)
        ->capture_default_str();
    command->add_option("--cores", request->cores,
                        "TensorCores (default: those in the chip's name, else 1)");
    command
        ->add_option("--slices", request->slices,
                     "Slices that the data center network joins, with the cores of all")
        ->capture_default_str();
    command->add_option("--slice", request->slice,
                        "Chips per axis, like 4x4x4 (default: the listed shape)");
    command->add_option("--wrap", request->wrap,
                        "Which axes are rings, like true,false (default: the preset's rule)");
    command
        ->add_option("--schedule", request->schedule,
                     "Which algorithm collectives run: xla, what the TPU compiler takes on the "
                     "chip; or fastest, of all that are known")
        ->check(CLI::IsMember({"xla", "fastest"}))
        ->capture_default_str();
    command
        ->add_option("--override", request->overrides,
                     "KEY=VALUE: replaces a preset value, in its unit; x2, x0.5: a factor of the "
                     "preset's; repeatable")
        ->allow_extra_args(false);
    command
        ->add_option("--fault", request->faults,
                     R"(What is slow or broken, as a study's /machine/faults has it, like )"
                     R"({"link":["0,0","1,0"],"bandwidth":0.1}; repeatable)")
        ->allow_extra_args(false);
    command
        ->add_option_function<std::string>(
            "--hbm",
            [request](const std::string& name) {
                request->hbm = name == "banks" ? sim::HbmModel::banks : sim::HbmModel::rates;
            },
            "How HBM is simulated: rates measured on its banks, or every burst through channels "
            "and banks (exact; about a second per 100 MB)")
        ->check(CLI::IsMember({"rates", "banks"}))
        ->default_str("rates");
    command->add_flag("--json", request->json, "Print JSON");
    command->add_option("--output", request->output,
                        "Of a solve: .npy file for the solutions (default: they are not written)");
    command->add_option("--trace", request->trace.file,
                        "File for the op's timeline, in the trace-event format that "
                        "ui.perfetto.dev and chrome://tracing show; compressed unless its name "
                        "ends in .json");
    add_trace_limit(*command, request->trace);
    add_trace_names(*command, request->trace);
    command->footer(
        std::string(
            "\nWork and its fields (bytes are per device):\n"
            "  matmul       m k n [batch] [dtype bf16|f32|i8|i4|fp8_e4m3|fp8_e5m2|fp4] [passes "
            "1|3|6] [overlap]\n"
            "               [epilogue {elements, ..}]: vector work beside it, with the fields of "
            "a vector op\n"
            "  vector       elements [ops_per_element] [dtype] [operation_class cheap|medium|"
            "division|\n"
            "               power|expensive|transpose] [medium_per_element] "
            "[division_per_element]\n"
            "               [power_per_element] [expensive_per_element]: so many of them\n"
            "               [reduction none|sublanes|lanes] [minor], the size of the last "
            "dimension\n"
            "  sort         length [rows] [dtype]: each row by itself; cumsum, argmax likewise\n"
            "  top_k        length k [rows] [dtype]: of sizes; without length of files, below\n"
            "  fixed        seconds [unit tensor_core|sparse_core|dma|host]: of known time\n"
            "  custom       [flops] [transcendentals] [dtype] [attention true|false]: a kernel\n"
            "  copy         from to bytes [bytes_back]: between hbm and vmem, or hbm and host\n"
            "  hbm_stream   [bytes_read] [bytes_written]: copies from hbm and to it\n"
            "  infeed       bytes: a copy from the host, made ready ahead\n"
            "  row_gather   rows row_bytes [table_rows] [pattern uniform|clamped|trace] "
            "[owned_rows]\n"
            "               (clamped: not the edge row), [ids]: the rows of a trace, like [7, 7, "
            "130],\n"
            "               [issue_cycles]: of a row, where it is not the chip's,\n"
            "               [engine sparse_core]: beside the TensorCore\n"
            "  row_scatter  rows row_bytes [accumulate] [engine sparse_core]\n"
            "  collective   kind all_gather|reduce_scatter|all_reduce|all_to_all|permute|"
            "broadcast|reduce,\n"
            "               bytes (of the larger buffer), [group]: axes, like [\"x\",\"z\"] "
            "(all),\n"
            "               [root]: of a broadcast or reduce, the place in its group (0),\n"
            "               [messages [source, destination, bytes]...]: of an all_to_all or "
            "a permute,\n"
            "               [schedule xla|fastest]: what the TPU compiler runs, or the fastest "
            "known;\n"
            "               or {colours, directions, algorithm axes|routed}: the fastest such\n"
            "               [launch true|false]: false for a message that is only sent\n"
            "               [dtype], f32: the compiler goes by the number of elements, too\n"
            "  repeat       times body {\"ops\":[...]}\n"
            "Work that computes numbers from .npy files (little-endian f4 or f8, C order):\n") +
        numbered_help() +
        "Operands of a matmul or vector op are in HBM, once each; reads and writes say otherwise:\n"
        "\"reads\":[{\"buffer\":\"a\",\"bytes\":4096}], or [] for none. A size may follow the "
        "machine: \"65536/devices\".\n\n"
        "Like: alxsim op '{\"work\":\"collective\",\"kind\":\"all_reduce\",\"bytes\":8388608}' "
        "--cores 64\n"
        "      alxsim op '[{\"work\":\"vector\",\"elements\":1e6},"
        "{\"work\":\"hbm_stream\",\"bytes_read\":4e6}]' --json\n"
        "      alxsim op graph.json --cores 64 --fault "
        "'{\"link\":[\"0,0\",\"1,0\"],\"bandwidth\":0.1}' --trace graph.trace.json.gz\n");
    command->callback([request, &action] { action = [request] { return run_op(*request); }; });
}

} // namespace alxsim::program
