// SPDX-License-Identifier: Apache-2.0
#include "sim/device_work.h"

namespace alxsim::sim {

void DeviceWork::add_unit_time(model::Unit unit, Picoseconds time)
{
    switch (unit) {
    case model::Unit::mxu:
        matrix_busy += time;
        return;
    case model::Unit::vpu:
        vector_busy += time;
        return;
    case model::Unit::dma:
    case model::Unit::sparse_core:
        rows_busy += time;
        return;
    default:
        return; // the network's time is that of collectives; the host's is not the device's
    }
}

void DeviceWork::add(const DeviceWork& before, const DeviceWork& after, std::int64_t times)
{
    ops += (after.ops - before.ops) * times;
    ops_repeated += (after.ops_repeated - before.ops_repeated) * times;
    hbm += (after.hbm - before.hbm) * times;
    matrix_busy += (after.matrix_busy - before.matrix_busy) * times;
    vector_busy += (after.vector_busy - before.vector_busy) * times;
    rows_busy += (after.rows_busy - before.rows_busy) * times;
    transfers += (after.transfers - before.transfers) * times;
    waiting += (after.waiting - before.waiting) * times;
    communicating += (after.communicating - before.communicating) * times;
    use.add_between(before.use, after.use, times);
}

void DeviceWork::declare(int device, Statistics& statistics) const
{
    const auto declare = [&](const char* name, const char* description, auto value) {
        statistics.declare(name, description, value, {Owner::device, device});
    };
    declare("ops_executed", "Ops that devices have run, in repeated iterations of loops too.", ops);
    declare("ops_repeated",
            "Of them, ops of iterations that were not simulated because the loop had become "
            "periodic.",
            ops_repeated);
    declare("mxu_busy", "Time that MXUs worked on products.", matrix_busy);
    declare("vpu_busy", "Time that VPUs worked.", vector_busy);
    declare("rows_busy", "Time that DMA engines and SparseCores issued rows.", rows_busy);
    declare("hbm_transfers", "Time of transfers to and from HBM, each by itself.", transfers);
    declare("hbm_bytes", "Bytes that devices have moved to and from HBM.", hbm);
    declare("collective_wait", "Time in collectives before the last member had come.", waiting);
    declare("collective_transfer", "Time in collectives after the last member had come.",
            communicating);
}

} // namespace alxsim::sim
