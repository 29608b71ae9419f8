// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/kind.h"

#include "workloads/offload/workload.h"

namespace alxsim::offload {
namespace {

std::unique_ptr<workloads::Workload> make_workload(const Json& study, const std::string& file,
                                                   const topologies::Machine& machine)
{
    return std::make_unique<OffloadWorkload>(offload_config(study, file, machine.devices), machine);
}

} // namespace

workloads::Kind offload_kind()
{
    workloads::Kind kind;
    kind.name = "offload";
    kind.fields["offload"] = offload_schema();
    kind.make = make_workload;
    kind.has_numbers = false;
    kind.choices = choice_names();
    kind.help = "            offload {preset or sizes of a transformer, batch, recomputation, ..,\n"
                "                 schedule sync|fifo|edf|stale, io kernel|user, prefetch, buffers, "
                "clip_norm}\n";
    return kind;
}

} // namespace alxsim::offload
