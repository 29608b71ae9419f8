// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/cg_counts.h"

#include "base/input_error.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

/// What iterations depend on most. They depend on batches and cores, too, but little: the slowest
/// of more systems is somewhat slower.
void check_alike(const Json& study, const Json& finished)
{
    for (const char* place : {"/workload/dataset", "/workload/alx/solver", "/workload/alx/dim",
                              "/workload/alx/reg", "/workload/alx/alpha"}) {
        const Json::json_pointer pointer(place);
        if (study.at(pointer) != finished.at(pointer)) {
            throw InputError("", place,
                             "found " + finished.at(pointer).dump() +
                                 ", which takes other CG iterations than the study's; allowed: " +
                                 study.at(pointer).dump());
        }
    }
}

} // namespace

SlowestIterations slowest_iterations(const TrainingRun& run)
{
    std::array<double, 2> sums{};
    std::array<std::int64_t, 2> steps{};
    for (std::size_t half = 0; half < run.iterations().size(); ++half) {
        for (const std::vector<std::int32_t>& slowest : run.iterations()[half]) {
            sums[half % 2] += *std::max_element(slowest.begin(), slowest.end());
            ++steps[half % 2];
        }
    }
    SlowestIterations means;
    for (std::size_t side = 0; side < means.size(); ++side) {
        if (steps[side] > 0) {
            means[side] = sums[side] / static_cast<double>(steps[side]);
        }
    }
    return means;
}

std::int64_t whole_iterations(double mean)
{
    return std::max<std::int64_t>(1, std::llround(mean));
}

std::optional<workloads::Counted> counted_iterations(const Json& study, const Json& finished,
                                                     const Json& counters)
{
    Json iterations = Json::object();
    for (const char* half : {"rows", "columns"}) {
        const Json::json_pointer place("/" + std::string(half) + "/" + slowest_iterations_field);
        if (!counters.contains(place)) {
            return std::nullopt;
        }
        iterations[half] = whole_iterations(counters.at(place).get<double>());
    }
    check_alike(study, finished);
    return workloads::Counted{{{"/workload/alx/cg/assumed_iterations", iterations}},
                              iterations.at("rows").dump() + " CG iterations in the row half and " +
                                  iterations.at("columns").dump() + " in the column half"};
}

} // namespace alxsim::alx
