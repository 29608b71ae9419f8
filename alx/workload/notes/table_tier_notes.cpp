// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/notes/table_tier_notes.h"

namespace alxsim::alx {
namespace {

std::string updated_note(const AlxConfig& config)
{
    std::string note = "the table that a half solves for stands below HBM: each solved row leaves "
                       "once, beside the "
                       "next step, and batches are taken to solve for rows of all cores alike";
    if (config.semantics.residual == Residual::strict) {
        note += "; old rows come in, since the released code writes old + (new - old)";
    }
    if (!config.semantics.donate) {
        note += "; no step copies a shard that it does not hold: compare with \"donate\": true";
    }
    return note;
}

std::string fixed_note(const AlxConfig& config)
{
    std::string note =
        "the fixed table stands below HBM: the host picks the rows that a step's batches ask of a "
        "core, each once, at the rate at which it copies runs of its memory (assumed: single rows "
        "may be slower), and sends them beside the step before. That is never more than to stream "
        "the shard for as many batches as HBM holds rows of, unless the shard fits into HBM";
    if (config.table_tier.fixed == topologies::Tier::storage) {
        note += ". It passes the host's memory as a whole for as many steps as have room for their "
                "rows in half of that. Drives are reached through the kernel and a bounce buffer "
                "(storage_kernel_read_frac, storage_kernel_write_frac), their queues full all the "
                "time";
    }
    return note;
}

} // namespace

std::vector<std::string> table_tier_notes(const AlxConfig& config)
{
    std::vector<std::string> notes;
    if (!config.table_tier.updated_in_hbm()) {
        notes.push_back(updated_note(config));
    }
    if (!config.table_tier.fixed_in_hbm()) {
        notes.push_back(fixed_note(config));
    }
    return notes;
}

} // namespace alxsim::alx
