// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/command_readers.h"

#include "base/input_error.h"
#include "base/json_fields.h"
#include "base/schema/json_schema.h"
#include "base/work/stop.h"
#include "experiments/points/point.h"
#include "experiments/points/study/study.h"
#include "experiments/schema/inferred.h"
#include "program/commands/commands.h"
#include "tests/fuzz/replay.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <streambuf>

namespace alxsim::fuzz {
namespace {

using namespace experiments;

/// Longest time for an input; the fuzzer's own limit tells what does not stop.
constexpr std::chrono::milliseconds longest{1000};

/// What commands print goes nowhere while it lives.
class Silence {
public:
    Silence() : out_(std::cout.rdbuf(&nowhere_)), errors_(std::cerr.rdbuf(&nowhere_)) {}
    ~Silence()
    {
        std::cout.rdbuf(out_);
        std::cerr.rdbuf(errors_);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

private:
    class Nowhere : public std::streambuf {
        int overflow(int byte) override { return byte == EOF ? 0 : byte; }
        std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
    };
    Nowhere nowhere_;
    std::streambuf* out_;
    std::streambuf* errors_;
};

/// Ends `work` by Stopped where it takes too long: that is no finding.
template <class Work>
void within_limit(const Work& work)
{
    const auto end = std::chrono::steady_clock::now() + longest;
    const StopScope scope([end] { return std::chrono::steady_clock::now() > end; });
    try {
        work();
    } catch (const Stopped&) {
    }
}

/// `add` adds the command. Throws InputError for what a command line refuses.
void run_command(void (*add)(CLI::App&, program::Action&), std::vector<std::string> words)
{
    CLI::App app;
    program::Action action;
    add(app, action);
    std::reverse(words.begin(), words.end()); // as CLI11 has it
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        throw InputError("command line", "", error.what());
    }
    const Silence silence;
    within_limit(action);
}

/// {"op": an op, a list or a graph, "options": ["--cores", "4"]}.
struct OpLine {
    Json op;
    std::vector<std::string> options;
};

template <class Fields>
void list_fields(Fields& fields, OpLine& line)
{
    fields("op", line.op);
    fields("options", line.options);
}

/// Options that write files, whose names would be the fuzzer's.
bool writes(const std::string& option)
{
    return option.rfind("--trace", 0) == 0 || option.rfind("--output", 0) == 0;
}

void read_op(const TemporaryFolder&, std::string_view bytes)
{
    const auto line = value_of_json<OpLine>(parse_json(bytes, "op.json"));
    if (std::any_of(line.options.begin(), line.options.end(), writes)) {
        return;
    }
    std::vector<std::string> words{"op", line.op.dump()};
    words.insert(words.end(), line.options.begin(), line.options.end());
    run_command(program::add_op, words);
}

/// What infer is given, each as the file that it reads.
struct InferLine {
    Json study;
    Json statements;
    std::optional<Json> measure;
};

template <class Fields>
void list_fields(Fields& fields, InferLine& line)
{
    fields("study", line.study);
    fields("statements", line.statements);
    fields("measure", line.measure);
}

/// What it wrote is as its schema says.
void hold_result(const std::string& path)
{
    if (std::filesystem::exists(path)) { // else it was stopped
        static const std::string schema = inferred_schema().dump();
        try {
            validate_json(load_json(path), schema, path);
        } catch (const InputError& error) {
            throw Finding(error.what());
        }
        std::filesystem::remove(path);
    }
}

void read_infer(const TemporaryFolder& folder, std::string_view bytes)
{
    const auto line = value_of_json<InferLine>(parse_json(bytes, "infer.json"));
    const std::string study = folder.write("study.json", line.study.dump());
    if (!has_few_points(load_study(study, {}))) {
        return;
    }
    const std::string result = folder.path("inferred.json");
    std::vector<std::string> words{
        "infer",  study,    folder.write("statements.json", line.statements.dump()),
        "-o",     result,   "--draws",
        "200",    "--jobs", "1",
        "--quiet"};
    if (line.measure) {
        words.insert(words.end(),
                     {"--measure", folder.write("measure.json", line.measure->dump())});
    }
    run_command(program::add_infer, words);
    hold_result(result);
}

/// A band from the worlds of the file.
void read_given(const TemporaryFolder& folder, std::string_view bytes)
{
    static const Json study = Json::parse(R"({
        "study": "given", "numerics": false, "fidelity": "analytic", "given": "worlds.json",
        "machine": {"chip": "tpu_v3", "cores": 4},
        "workload": {"dataset": {"shape": {"rows": 1000, "columns": 1000, "links": 10000}},
                     "alx": {"dim": 16}}})");
    folder.write("worlds.json", bytes);
    within_limit([&] { run_point(point_study(study, folder.path("study.json")), {}); });
}

} // namespace

const std::map<std::string, Reader>& command_readers()
{
    static const std::map<std::string, Reader> all{
        {"op", read_op}, {"infer", read_infer}, {"given", read_given}};
    return all;
}

} // namespace alxsim::fuzz
