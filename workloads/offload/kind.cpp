// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/kind.h"

#include "base/input_error.h"
#include "workloads/offload/workload.h"

#include <utility>

namespace alxsim::offload {
namespace {

std::unique_ptr<workloads::Workload> make_workload(const Json& study, const std::string& file,
                                                   const topologies::Machine& machine)
{
    OffloadConfig config = offload_config(study, file, machine.devices);
    const std::int64_t vocabulary = config.model.size.vocabulary;
    if (study.value("numerics", false) && vocabulary < 256) {
        throw InputError(file, "/workload/offload/vocabulary",
                         "found " + std::to_string(vocabulary) +
                             "; allowed with numerics: 256 or more, as tokens are bytes");
    }
    return std::make_unique<OffloadWorkload>(std::move(config), machine);
}

} // namespace

workloads::Kind offload_kind()
{
    workloads::Kind kind;
    kind.name = "offload";
    kind.fields["offload"] = offload_schema();
    kind.make = make_workload;
    kind.metrics = {{"loss", "", "nats", workloads::Better::lower},
                    {"perplexity", "", "", workloads::Better::lower}};
    kind.exports = {"parameters"};
    kind.choices = choice_names();
    kind.help = "            offload {preset or sizes of a transformer, batch, recomputation, ..,\n"
                "                 schedule sync|fifo|edf|stale, io kernel|user, prefetch, buffers, "
                "clip_norm}\n";
    return kind;
}

} // namespace alxsim::offload
