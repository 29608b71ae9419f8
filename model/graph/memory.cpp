// SPDX-License-Identifier: Apache-2.0
#include "model/graph/memory.h"

#include "base/memo.h"
#include "model/graph/buffer_placement.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace alxsim::model {

namespace {

enum class Parts { told, left_out };

void add_standing(const OpGraph& graph, const BufferPlacement& placement, Parts parts,
                  MemoryFit& fit)
{
    const std::vector<Buffer>& standing =
        graph.hbm_at_peak.empty() ? placement.hbm_at_peak : graph.hbm_at_peak;
    const Bytes needed =
        std::accumulate(standing.begin(), standing.end(), Bytes(0),
                        [](Bytes bytes, const Buffer& buffer) { return bytes + buffer.bytes; });
    if (needed > fit.needed) {
        fit.needed = needed;
        if (parts == Parts::told) {
            fit.parts = parts_of(standing);
        }
    }
    fit.host_needed = std::max(fit.host_needed, placement.host_peak);
    fit.storage_needed = std::max(fit.storage_needed, placement.storage_peak);
}

/// All roles are different devices: the one that needs most counts.
void add_graph(const OpGraph& graph, const topologies::Machine& machine, Parts parts,
               MemoryFit& fit)
{
    for (const Role& role : graph.roles) {
        add_graph(*role.graph, machine, parts, fit);
    }
    add_standing(graph, place(graph, machine.device), parts, fit);
}

void add(const MemoryFit& more, MemoryFit& fit)
{
    if (more.needed > fit.needed) {
        fit.needed = more.needed;
        fit.parts = more.parts;
    }
    fit.host_needed = std::max(fit.host_needed, more.host_needed);
    fit.storage_needed = std::max(fit.storage_needed, more.storage_needed);
}

/// The same of a graph whose roles are many ops: points that differ in what no placement goes by
/// share it.
void add_roles(const std::shared_ptr<const OpGraph>& graph, const topologies::Machine& machine,
               MemoryFit& fit)
{
    using Key = std::tuple<std::shared_ptr<const OpGraph>, Bytes, bool>;
    static Memo<Key, MemoryFit> known(4);
    const Key key{graph, usable_vmem(machine.device), machine.device.keeps_arrays_in_vmem};
    add(known.get(key,
                  [&] {
                      MemoryFit own;
                      add_graph(*graph, machine, Parts::told, own);
                      return own;
                  }),
        fit);
}

/// Returns capacities with nothing in them yet.
MemoryFit capacities_of(const topologies::Machine& machine)
{
    MemoryFit fit;
    fit.capacity = machine.device.usable_hbm;
    for (const Bytes left : machine.faults.device_hbm) { // SPMD: all need what one needs
        fit.capacity = std::min(fit.capacity, left);
    }
    fit.host_capacity = topologies::device_capacity(machine, topologies::Tier::host);
    fit.storage_capacity = topologies::device_capacity(machine, topologies::Tier::storage);
    return fit;
}

} // namespace

bool MemoryFit::at_edge() const
{
    constexpr std::int64_t edges = 200; // of 0.5 %
    const std::int64_t apart = std::abs(capacity.count() - deciding().count());
    return apart <= capacity.count() / edges;
}

std::string MemoryFit::largest_part() const
{
    if (fits_hbm() && !fits_host()) {
        return "host memory";
    }
    if (fits_hbm() && !fits_storage()) {
        return "storage";
    }
    const auto largest =
        std::max_element(parts.begin(), parts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return largest == parts.end() ? "" : largest->first;
}

MemoryFit memory_fit(const Program& program, const topologies::Machine& machine)
{
    MemoryFit fit = capacities_of(machine);
    for (const StepGroup& group : program) {
        group.step.graph->roles.empty() ? add_graph(*group.step.graph, machine, Parts::told, fit)
                                        : add_roles(group.step.graph, machine, fit);
    }
    return fit;
}

MemoryFit memory_sums(const Program& program, const topologies::Machine& machine,
                      const PlacementOf& placement_of)
{
    MemoryFit fit = capacities_of(machine);
    for (const StepGroup& group : program) {
        const OpGraph& graph = *group.step.graph;
        if (graph.roles.empty()) {
            add_standing(graph, placement_of(group.step.graph), Parts::left_out, fit);
        } else {
            add_graph(graph, machine, Parts::left_out, fit);
        }
    }
    return fit;
}

} // namespace alxsim::model
