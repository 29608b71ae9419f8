// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "tests/unit/model/building.h"

#include <string>
#include <vector>

/// What ASTRA-sim says of collectives on tori of rings, read from the oracle file.
namespace alxsim::model {

struct AstraCase {
    std::string which;
    Collective collective; ///< one colour, one direction
    topologies::Machine machine;
    Picoseconds time{0};
};

/// Those with one chunk at a time and no cost of the reduction. The
/// all-gather's size in the file is the shard, that of the others the whole buffer.
inline std::vector<AstraCase> astra_cases()
{
    const Json oracle =
        load_json(ALXSIM_SOURCE_DIR "/tests/oracle/astra_sim_torus_collectives.json");
    std::vector<AstraCase> cases;
    for (const Json& result : oracle.at("results")) {
        if (result.at("dataset_splits") != 1 || result.at("local_mem_bw_GBps") != 1e8) {
            continue;
        }
        const std::string kind = result.at("collective");
        const int chips = result.at("npus");
        const std::int64_t size = result.at("comm_size_bytes_per_node");
        const double latency = result.at("hop_latency_ns").get<double>() * 1e-9;
        const Op op = op_from_json({{"work", "collective"},
                                    {"kind", kind},
                                    {"bytes", kind == "all_gather" ? size * chips : size},
                                    {"schedule", {{"colours", 1}, {"directions", 1}}}},
                                   "astra");
        const std::string side = std::to_string(result.at("torus").at(0).get<int>());
        cases.push_back(
            {kind + " of " + std::to_string(size) + " bytes on " + side + "x" + side,
             std::get<Collective>(op.work),
             machine_of("tpu_v5e",
                        topologies::SliceRequest{chips, side + "x" + side, {{true, true}}},
                        {{"ici_link_bw_oneway", 70e9},
                         {"ici_link_bw_effective_frac", 1},
                         {"ici_hop_latency_s", latency}}),
             nanoseconds(result.at("sim_time_ns"))});
    }
    return cases;
}

} // namespace alxsim::model
