// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "topologies/machine.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What the tests of model and simulator share: machines, ops and graphs in one line each.
namespace alxsim::model {

using Overrides = std::vector<std::pair<std::string, Json>>;

/// Its collectives run the fastest schedules, of which closed forms are known, and no device is
/// slower than another.
inline topologies::Machine machine_of(const std::string& chip,
                                      const topologies::SliceRequest& request,
                                      const Overrides& overrides = {})
{
    topologies::Preset preset = topologies::Preset::load(chip);
    for (const auto& [key, value] : overrides) {
        preset.override_value(key, value, "test");
    }
    topologies::Machine machine = topologies::make_machine(preset, request);
    machine.schedule = topologies::ScheduleChoice::fastest;
    machine.straggling = 1;
    return machine;
}

inline topologies::Machine machine_of(const std::string& chip, int cores,
                                      const Overrides& overrides = {})
{
    return machine_of(chip, topologies::SliceRequest{cores, {}, {}}, overrides);
}

/// An op by its work alone; its phase is "work" unless told.
inline Op op_of(Work work, std::vector<int> after = {}, const std::string& phase = "work")
{
    Op op;
    op.name = phase;
    op.phase = phase;
    op.work = std::move(work);
    op.after = std::move(after);
    return op;
}

inline std::shared_ptr<const OpGraph> graph_of(std::vector<Op> ops)
{
    auto graph = std::make_shared<OpGraph>();
    graph->ops = std::move(ops);
    return graph;
}

inline Op repeat_of(std::int64_t times, std::vector<Op> body, const std::string& counter = "",
                    std::vector<int> after = {})
{
    return op_of(Repeat{times, counter, graph_of(std::move(body))}, std::move(after));
}

/// A torus or mesh of v5e chips, one device each, with links of 1 byte per nanosecond and hops of a
/// microsecond, all of it wire: times that one can work out by hand. `wrap` per axis of `shape`.
inline topologies::Machine easy_machine(int chips, const std::string& shape,
                                        const std::vector<bool>& wrap)
{
    return machine_of("tpu_v5e", topologies::SliceRequest{chips, shape, wrap},
                      {{"ici_link_bw_oneway", 1e9},
                       {"ici_link_bw_effective_frac", 1},
                       {"ici_line_bw_effective_frac", 1},
                       {"ici_hop_latency_s", 1e-6},
                       {"ici_hop_software_frac", 0}});
}

/// The same of v3 chips, two devices each, joined by a path as fast as a link.
inline topologies::Machine easy_pairs(int chips, const std::string& shape,
                                      const std::vector<bool>& wrap)
{
    return machine_of("tpu_v3", topologies::SliceRequest{2 * chips, shape, wrap},
                      {{"ici_link_bw_oneway", 1e9},
                       {"ici_link_bw_effective_frac", 1},
                       {"ici_line_bw_effective_frac", 1},
                       {"ici_hop_latency_s", 1e-6},
                       {"ici_hop_software_frac", 0},
                       {"ici_core_to_core_on_chip_bw_oneway", 1e9},
                       {"ici_on_chip_latency_s", 1e-6},
                       {"ici_on_chip_overlap_frac", 0}});
}

constexpr Picoseconds nanoseconds(std::int64_t count)
{
    return Picoseconds(count * 1000);
}

} // namespace alxsim::model
