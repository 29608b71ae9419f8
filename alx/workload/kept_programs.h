// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/requests/point_request.h"
#include "alx/steps/timing_program.h"
#include "topologies/machine.h"

#include <cstdint>
#include <memory>
#include <tuple>

namespace alxsim::alx {

/// Timing programs of a job without links, by their batches: what the points of a study that differ
/// in nothing but their machine's numbers share. For all threads.
class KeptPrograms {
public:
    /// timing_program(): of the job that these programs are of, with the batches of `config`.
    /// Throws InputError likewise.
    TimingProgram get(const AlxConfig& config, const WorkloadShape& shape, const DeviceMesh& mesh);

private:
    using Batches = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    static constexpr std::size_t most = 32;

    KeptSteps steps_;
    Memo<std::tuple<Batches, Batches>, TimingProgram> programs_{most};
};

/// Those of all points with this request, which was read (point_request()), on a slice like the
/// machine's.
std::shared_ptr<KeptPrograms> kept_programs(const PointRequest& point,
                                            const topologies::Machine& machine);

} // namespace alxsim::alx
