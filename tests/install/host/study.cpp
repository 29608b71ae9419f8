// SPDX-License-Identifier: Apache-2.0
// Runs a study in this process and by the program named in the first argument: the same results,
// and no signal of this program is touched.
#include <alxsim/experiments/runs/runner.h>
#include <alxsim/program/registration/workloads.h>

#include <csignal>
#include <iostream>

using namespace alxsim;

namespace {

experiments::Study small_study()
{
    return experiments::study_of(Json::parse(R"({
        "study": "embedded", "numerics": true, "fidelity": "detailed",
        "machine": {"chip": "tpu_v3", "cores": 2},
        "workload": {
            "dataset": {"generate": {"rows": 300, "columns": 200, "links": 3000, "locality": 0.5}},
            "split": {"test_rows": 0.1, "held_out_links": 0.25, "min_links": 4, "seed": 1},
            "alx": {"dim": 8, "epochs": 2, "semantics": "clean",
                    "batch": {"lines": 64, "line_length": 8, "rows": 32}}},
        "sweep": {"/machine/cores": [1, 2, 4]}})"),
                                 "the embedded study");
}

void at_interrupt(int) {}

bool has_our_handler()
{
    struct sigaction now {};
    sigaction(SIGINT, nullptr, &now);
    return now.sa_handler == at_interrupt;
}

/// The results' points as JSON.
Json points_of(const experiments::RunnerOptions& options)
{
    Json points = Json::array();
    for (const auto& result : run_points(experiments::expand(small_study()), options)) {
        points.push_back(json_of(result.point));
    }
    return points;
}

} // namespace

int main(int, char* arguments[])
{
    program::add_workloads();
    std::signal(SIGINT, at_interrupt);
    experiments::RunnerOptions options;
    options.quiet = true;
    const Json here = points_of(options);
    options.executable = arguments[1];
    options.jobs = 2;
    const Json there = points_of(options);
    if (here != there || here.size() != 3 || here.at(0).contains("error")) {
        std::cerr << "in this process:\n" << here.dump(2) << "\nelsewhere:\n" << there.dump(2);
        return 1;
    }
    if (!has_our_handler()) {
        std::cerr << "the handler of SIGINT was changed\n";
        return 1;
    }
    for (const Json& point : here) {
        std::cout << point.at("machine").at("cores") << " cores: " << point.at("epoch_seconds")
                  << " s per epoch\n";
    }
    return 0;
}
