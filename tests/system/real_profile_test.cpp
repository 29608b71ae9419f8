// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

/// Traces as the profiler of JAX has them, and what is made of such. No profile of a real TPU was
/// at hand: those here are our own, of machines with other values, so that what must come out is
/// known.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

/// A loop of 300 turns: products, element-wise work out of HBM, and copies.
constexpr const char* graph = R"({"ops": [
    {"name": "embed.1", "work": "vector", "elements": 4e6},
    {"name": "layers.2", "work": "repeat", "times": 300, "body": {"ops": [
        {"name": "fusion.3", "work": "matmul", "m": 1024, "k": 2048, "n": 2048},
        {"name": "fusion.4", "work": "vector", "elements": 1e6, "after": [0]},
        {"name": "all-reduce.5", "work": "collective", "kind": "all_reduce", "bytes": 2e6,
         "after": [1]}]}, "after": [0]},
    {"name": "copy.6", "work": "hbm_stream", "bytes_read": 3e7, "bytes_written": 3e7,
     "after": [1]}]})";

class RealProfiles : public ::testing::Test {
protected:
    /// The trace of the graph on a machine; values are changed by `overrides`.
    std::string traced(const std::string& name, const std::vector<std::string>& overrides) const
    {
        std::vector<std::string> arguments{
            "op",   graph_, "--chip", "v5e-16", "--trace", folder_.path(name), "--trace-names",
            "xprof"};
        for (const std::string& one : overrides) {
            arguments.insert(arguments.end(), {"--override", one});
        }
        const Outcome outcome = run_program(arguments);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return folder_.path(name);
    }

    TemporaryFolder folder_;
    std::string graph_ = folder_.write("graph.json", graph);
};

TEST_F(RealProfiles, ATraceHasNamesTracksAndArgumentsOfXProf)
{
    const Json trace = Json::parse(read_file(traced("own.json", {})));
    std::map<int, std::string> processes;
    std::map<std::pair<int, int>, std::string> threads;
    std::map<std::string, int> calls;
    double ops = 0;
    double step = 0;
    double last = 0;
    for (const Json& event : trace.at("traceEvents")) {
        const int process = event.at("pid");
        if (event.at("name") == "process_name") {
            processes[process] = event.at("args").at("name");
        } else if (event.at("name") == "thread_name") {
            threads[{process, event.at("tid")}] = event.at("args").at("name");
        } else if (event.at("ph") == "X" && processes[process] == "/device:TPU:3") {
            const std::string thread = threads.at({process, event.at("tid")});
            if (thread == "XLA Ops") {
                EXPECT_GE(event.at("ts").get<double>(), last - 1e-6) << event;
                last = event.at("ts").get<double>() + event.at("dur").get<double>();
                ops += event.at("dur").get<double>();
                ++calls[event.at("name")];
                EXPECT_TRUE(event.at("args").at("hlo_category").is_string());
                EXPECT_NEAR(std::stod(event.at("args").at("device_duration_ps").get<std::string>()),
                            event.at("dur").get<double>() * 1e6, 0.5);
            } else if (thread == "Steps") {
                step = event.at("dur");
            }
        }
    }
    EXPECT_EQ(processes.size(), 17U); // sixteen devices and the host
    EXPECT_EQ(processes.at(701), "/host:CPU");
    // Also the iterations that are not simulated one by one.
    EXPECT_EQ(calls.at("fusion.3"), 300);
    EXPECT_EQ(calls.at("all-reduce.5"), 300);
    EXPECT_EQ(calls.at("embed.1"), 1);
    EXPECT_NEAR(ops / step, 1, 1e-6);
}

} // namespace
} // namespace alxsim::testing
