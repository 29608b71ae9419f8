// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/kept_programs.h"

#include "topologies/memory_tier.h"

#include <string>
#include <vector>

namespace alxsim::alx {
namespace {

/// Jobs whose graphs are kept: those of a sweep over as many cores and dimensions.
constexpr std::size_t most_jobs = 64;

/// All that a job without links and its mesh follow from.
using JobKey = std::tuple<std::string, std::string, std::vector<std::string>, int, int, Bytes>;

} // namespace

TimingProgram KeptPrograms::get(const AlxConfig& config, const WorkloadShape& shape,
                                const DeviceMesh& mesh)
{
    const auto sizes = [](const BatchGeometry& batch) {
        return Batches{batch.lines, batch.line_length, batch.rows};
    };
    return programs_.get({sizes(config.batch), sizes(config.column_batch)},
                         [&] { return timing_program(config, shape, mesh, &steps_); });
}

std::shared_ptr<KeptPrograms> kept_programs(const PointRequest& point,
                                            const topologies::Machine& machine)
{
    static Memo<JobKey, std::shared_ptr<KeptPrograms>> jobs(most_jobs);
    const JobKey key{point.text,
                     machine.slice.words(),
                     machine.slice.axis_names(),
                     machine.devices,
                     machine.devices_per_chip,
                     topologies::device_capacity(machine, topologies::Tier::host)};
    return jobs.get(key, [] { return std::make_shared<KeptPrograms>(); });
}

} // namespace alxsim::alx
