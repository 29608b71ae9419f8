// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks that docs/performance.md needs, and prints its table. Takes the flags of
// Google Benchmark; by default three repetitions of half a second, taking turns.
#include "performance_rows.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace alxsim {
namespace {

/// Keeps the medians, and says on standard error how far it is.
class Medians : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& /*context*/) override { return true; }

    void ReportRuns(const std::vector<Run>& runs) override
    {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration || run.error_occurred) {
                continue;
            }
            std::string name = run.run_name.function_name;
            for (const std::string& part : {run.run_name.args, run.run_name.time_type}) {
                name += part.empty() ? "" : "/" + part;
            }
            const auto iterations = static_cast<double>(run.iterations);
            values_[name]["seconds"].push_back(run.real_accumulated_time / iterations);
            values_[name]["cpu_seconds"].push_back(run.cpu_accumulated_time / iterations);
            for (const auto& [counter, value] : run.counters) {
                values_[name][counter].push_back(value);
            }
            std::cerr << '.' << std::flush;
        }
    }

    Measured medians() const
    {
        Measured measured;
        for (const auto& [benchmark, counters] : values_) {
            for (const auto& [counter, values] : counters) {
                std::vector<double> sorted = values;
                std::sort(sorted.begin(), sorted.end());
                measured[benchmark][counter] = sorted[sorted.size() / 2];
            }
        }
        return measured;
    }

private:
    std::map<std::string, std::map<std::string, std::vector<double>>> values_;
};

void print(const Measured& measured)
{
    std::cout << "| what | measured | compared with | times as fast |\n|---|---|---|---|\n";
    for (const PerformanceRow& row : performance_rows(measured)) {
        std::printf("| %s | %s | %s | %.2f |\n", row.statement.c_str(), row.measured.c_str(),
                    row.compared_with.c_str(), row.ratio);
    }
    std::printf("\n%s\n", host_line(measured).c_str());
}

int run(int argc, char** argv)
{
    std::string filter = "--benchmark_filter=" + needed_benchmarks();
    std::string time = "--benchmark_min_time=0.5";
    std::string repetitions = "--benchmark_repetitions=3";
    std::string turns = "--benchmark_enable_random_interleaving=true";
    std::vector<char*> arguments{argv[0], filter.data(), time.data(), repetitions.data(),
                                 turns.data()};
    arguments.insert(arguments.end(), argv + 1, argv + argc); // the later flag holds
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
        return 2;
    }
    Medians medians;
    benchmark::RunSpecifiedBenchmarks(&medians);
    std::cerr << '\n';
    print(medians.medians());
    return 0;
}

} // namespace
} // namespace alxsim

int main(int argc, char** argv)
{
    return alxsim::run(argc, argv);
}
