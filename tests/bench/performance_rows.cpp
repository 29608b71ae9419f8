// SPDX-License-Identifier: Apache-2.0
#include "performance_rows.h"

#include "base/cpu_level.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

namespace alxsim {
namespace {

/// A counter of a benchmark.
struct Figure {
    std::string benchmark;
    std::string counter;
};

/// What peers did, built and measured by hand on two cores of another x86-64 CPU, CPU seconds,
/// medians. Per second.
constexpr double astra_sim_messages_16 = 1.05e6;
constexpr double astra_sim_messages_64 = 0.30e6;
constexpr double dramsim3_sequential = 0.61e6;
constexpr double dramsim3_random_256 = 0.42e6;
constexpr double dramsim3_random_64 = 0.12e6;

std::string shown(double value, const std::string& unit)
{
    struct Prefix {
        double factor;
        const char* text;
    };
    Prefix chosen{1e-3, "m"};
    for (const Prefix& prefix :
         {Prefix{1, ""}, Prefix{1e3, "k"}, Prefix{1e6, "M"}, Prefix{1e9, "G"}}) {
        chosen = value >= prefix.factor ? prefix : chosen;
    }
    std::string text(32, '\0');
    text.resize(static_cast<std::size_t>(
        std::snprintf(text.data(), text.size(), "%.3g ", value / chosen.factor)));
    return text + chosen.text + unit;
}

/// The table under way: rows that ask for figures, of which some may be missing.
class Rows {
public:
    /// Null: only asks.
    explicit Rows(const Measured* measured) : measured_(measured) {}

    void against_given(const std::string& statement, const Figure& ours, const std::string& unit,
                       const std::string& named, double given)
    {
        const auto value = get(ours);
        if (value) {
            rows_.push_back({statement, shown(*value, unit), named + ": " + shown(given, unit),
                             *value / given});
        }
    }

    /// The times of an iteration of two benchmarks.
    void against_peer(const std::string& statement, const std::string& ours,
                      const std::string& peer_name, const std::string& peer, int threads)
    {
        const auto time = get({ours, time_on(threads)});
        const auto of_peer = get({peer, time_on(threads)});
        if (time && of_peer) {
            rows_.push_back({statement, shown(*time, "s"), peer_name + ": " + shown(*of_peer, "s"),
                             *of_peer / *time});
        }
    }

    void against_rate(const std::string& statement, const Figure& ours, const std::string& unit,
                      const std::string& peer_name, const Figure& peer)
    {
        const auto rate = get(ours);
        const auto of_peer = get(peer);
        if (rate && of_peer) {
            rows_.push_back({statement, shown(*rate, unit),
                             peer_name + ": " + shown(*of_peer, unit), *rate / *of_peer});
        }
    }

    /// The least operations and bytes of a benchmark at the host's best rates on so many threads.
    void against_roofline(const std::string& statement, const std::string& ours, int threads)
    {
        const auto time = get({ours, time_on(threads)});
        const auto operations = get({ours, "least_flop"});
        const auto bytes = get({ours, "least_bytes"});
        const auto peak = rate_of_host("host_multiply_adds", "flops", threads);
        const auto copy = rate_of_host("host_copy", "bytes", threads);
        if (time && operations && bytes && peak && copy) {
            const double floor = std::max(*operations / *peak, *bytes / *copy);
            rows_.push_back(
                {statement, shown(*time, "s"), "roofline: " + shown(floor, "s"), floor / *time});
        }
    }

    /// A second on so many threads, by the clock that its benchmark's other figures go by.
    std::optional<double> rate_of_host(const std::string& benchmark, const std::string& counter,
                                       int threads)
    {
        const std::string name = benchmark + "/" + std::to_string(threads) + "/real_time";
        const auto rate = get({name, counter});
        const auto real = get({name, "seconds"});
        const auto time = get({name, time_on(threads)});
        return rate && real && time ? std::optional(*rate * *real / *time) : std::nullopt;
    }

    const std::vector<PerformanceRow>& rows() const { return rows_; }
    const std::vector<std::string>& asked() const { return asked_; }

private:
    /// One thread goes by CPU time, which other work on the host changes less.
    static std::string time_on(int threads) { return threads == 1 ? "cpu_seconds" : "seconds"; }

    std::optional<double> get(const Figure& figure)
    {
        asked_.push_back(figure.benchmark);
        if (measured_ == nullptr) {
            return std::nullopt;
        }
        const auto benchmark = measured_->find(figure.benchmark);
        if (benchmark == measured_->end() || benchmark->second.count(figure.counter) == 0) {
            return std::nullopt;
        }
        return benchmark->second.at(figure.counter);
    }

    const Measured* measured_;
    std::vector<PerformanceRow> rows_;
    std::vector<std::string> asked_;
};

void ask_simulation(Rows& rows)
{
    const auto messages = [&](int side, double recorded) {
        const std::string size = std::to_string(side);
        rows.against_given("messages of an all-reduce, " + size + "x" + size,
                           {"network_all_reduce/" + size, "messages_per_s"}, "/s",
                           "ASTRA-sim, recorded", recorded);
    };
    messages(16, astra_sim_messages_16);
    messages(64, astra_sim_messages_64);
    for (const char* cores : {"512", "2048"}) {
        const std::string late = "late_all_reduce/";
        rows.against_rate(std::string("messages of an all-reduce with late members, ") + cores +
                              " cores",
                          {late + "replayed/" + cores, "messages_per_s"}, "/s", "packet by packet",
                          {late + "in_packets/" + cores, "messages_per_s"});
    }
    const auto requests = [&](const char* pattern, const char* benchmark, double recorded) {
        rows.against_given(std::string("HBM requests through banks, ") + pattern,
                           {benchmark, "requests/s"}, "/s", "DRAMsim3, recorded", recorded);
    };
    requests("sequential", "hbm_sequential", dramsim3_sequential);
    requests("random 256 B", "hbm_random_rows/256", dramsim3_random_256);
    requests("random 64 B", "hbm_random_rows/64", dramsim3_random_64);
}

void ask_epochs(Rows& rows)
{
    for (const auto& [name, solver] :
         {std::pair<const char*, const char*>{"epoch", "Cholesky"}, {"cg_epoch", "CG"}}) {
        for (const int dim : {64, 128}) {
            for (const int threads : {1, 2}) {
                const std::string arguments =
                    "/" + std::to_string(dim) + "/" + std::to_string(threads) + "/real_time";
                const std::string ours = std::string("alxsim_") + name + arguments;
                const std::string statement = std::string("epoch of a million links, ") + solver +
                                              ", d " + std::to_string(dim) +
                                              ", threads: " + std::to_string(threads);
                rows.against_peer(statement, ours, "plain Eigen, Cholesky",
                                  "eigen_epoch" + arguments, threads);
                rows.against_roofline(statement, ours, threads);
            }
        }
    }
    for (const int dim : {64, 128}) {
        const std::string arguments = "/" + std::to_string(dim) + "/1/real_time";
        rows.against_peer("epoch of MovieLens 1M's shape, Cholesky, d " + std::to_string(dim) +
                              ", threads: 1",
                          "alxsim_movielens_epoch" + arguments, "plain Eigen, Cholesky",
                          "eigen_movielens_epoch" + arguments, 1);
    }
}

void ask_scores(Rows& rows)
{
    for (const int dim : {32, 64, 128}) {
        const std::string argument = "/" + std::to_string(dim);
        const std::string statement =
            "scores of an evaluation, d " + std::to_string(dim) + ", threads: 1";
        rows.against_rate(statement, {"alxsim_scores" + argument, "scores/s"}, "/s", "plain Eigen",
                          {"eigen_scores" + argument, "scores/s"});
        rows.against_roofline(statement, "alxsim_scores" + argument, 1);
    }
}

Rows ask(const Measured* measured)
{
    Rows rows(measured);
    ask_simulation(rows);
    ask_epochs(rows);
    ask_scores(rows);
    rows.against_given("points of the analytic model, 256 cores, threads: 1",
                       {"analytic_point/256", "points"}, "/s", "no peer; our aim", 70e3);
    return rows;
}

} // namespace

std::string needed_benchmarks()
{
    std::vector<std::string> names = ask(nullptr).asked();
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string pattern;
    for (const std::string& name : names) {
        pattern += (pattern.empty() ? "^(" : "|") + name;
    }
    return pattern + ")$";
}

std::vector<PerformanceRow> performance_rows(const Measured& measured)
{
    return ask(&measured).rows();
}

std::string host_line(const Measured& measured)
{
    Rows rows(&measured);
    const auto both = [&](const char* benchmark, const char* counter, const char* unit) {
        return shown(rows.rate_of_host(benchmark, counter, 1).value_or(0), unit) + " and " +
               shown(rows.rate_of_host(benchmark, counter, 2).value_or(0), unit);
    };
    return "Host: CPU level " + name_of(cpu_level()) + "; on one and two threads " +
           both("host_multiply_adds", "flops", "flop/s") + ", copies " +
           both("host_copy", "bytes", "B/s") + ".";
}

} // namespace alxsim
