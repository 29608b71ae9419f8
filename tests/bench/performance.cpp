// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks that docs/performance.md needs, and prints its table, or puts it there
// (--into FILE). Takes the flags of Google Benchmark; by default three repetitions of half a
// second, taking turns.
#include "performance_rows.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

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

std::string table(const Measured& measured)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(2);
    text << "| what | measured | compared with | times as fast |\n|---|---|---|---|\n";
    for (const PerformanceRow& row : performance_rows(measured)) {
        text << "| " << row.statement << " | " << row.measured << " | " << row.compared_with
             << " | " << row.ratio << " |\n";
    }
    text << '\n' << host_line(measured) << '\n';
    return text.str();
}

/// Puts `table` where the file has one. Throws std::runtime_error if it has no place for it.
void put(const std::string& table, const std::string& path)
{
    constexpr std::string_view begin = "<!-- table -->\n";
    constexpr std::string_view end = "<!-- end of table -->";
    std::ostringstream read;
    read << std::ifstream(path).rdbuf();
    std::string text = read.str();
    const std::size_t from = text.find(begin);
    const std::size_t to = text.find(end);
    if (from == std::string::npos || to == std::string::npos || to < from) {
        throw std::runtime_error(path +
                                 ": found no lines <!-- table --> and <!-- end of table -->");
    }
    text.replace(from + begin.size(), to - from - begin.size(), table);
    if (!(std::ofstream(path) << text).flush()) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

/// Takes `--into FILE` out of the arguments.
std::string take_into(std::vector<char*>& arguments)
{
    const auto flag = std::find_if(arguments.begin(), arguments.end(), [](const char* argument) {
        return std::string_view(argument) == "--into";
    });
    if (arguments.end() - flag < 2) {
        return "";
    }
    const std::string path = *(flag + 1);
    arguments.erase(flag, flag + 2);
    return path;
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
    const std::string into = take_into(arguments);
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
        return 2;
    }
    Medians medians;
    benchmark::RunSpecifiedBenchmarks(&medians);
    std::cerr << '\n';
    const std::string text = table(medians.medians());
    std::cout << text;
    if (!into.empty()) {
        put(text, into);
    }
    return 0;
}

} // namespace
} // namespace alxsim

int main(int argc, char** argv)
{
    try {
        return alxsim::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
