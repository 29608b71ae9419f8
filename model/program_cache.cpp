// SPDX-License-Identifier: Apache-2.0
#include "model/program_cache.h"

#include "base/work/debug_log.h"
#include "model/graph/check.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace alxsim::model {

namespace {

/// Which collectives overlap compute.
std::array<bool, 4> overlap_of(const topologies::NetworkSpec& network)
{
    return {network.collectives_overlap_compute, network.all_gathers_overlap_compute,
            network.reductions_overlap_compute, network.permutes_overlap_compute};
}

} // namespace

ProgramCache::Structure::Structure(const topologies::Machine& machine)
    : axes(machine.slice.axes()),
      twisted(machine.slice.twisted()),
      devices(machine.devices),
      devices_per_chip(machine.devices_per_chip),
      overlap(overlap_of(machine.network)),
      vmem(usable_vmem(machine.device)),
      keeps_arrays_in_vmem(machine.device.keeps_arrays_in_vmem)
{
}

bool ProgramCache::Structure::operator==(const Structure& other) const
{
    const auto all = [](const Structure& one) {
        return std::tie(one.axes, one.twisted, one.devices, one.devices_per_chip, one.overlap,
                        one.vmem, one.keeps_arrays_in_vmem);
    };
    return all(*this) == all(other);
}

std::shared_ptr<const CompiledGraph>
ProgramCache::compiled(const std::shared_ptr<const OpGraph>& graph)
{
    auto found = programs_.find(graph.get());
    if (found == programs_.end()) {
        make_room();
        debug_log(DebugRoom::programs, [&] {
            return "compiles '" + graph->name + "': " + std::to_string(graph->ops.size()) +
                   " ops, " + std::to_string(graph->roles.size()) + " roles";
        });
        check(*graph, *machine_);
        Kept program{graph, place(*graph, machine_->device), nullptr, 0, machines_};
        program.compiled = compile(*graph, program.placement, *machine_, phases_, *schedules_);
        found = programs_.emplace(graph.get(), std::move(program)).first;
    }
    Kept& program = found->second;
    if (program.machine != machines_) {
        cost_again(*program.compiled, program.placement, *machine_, *schedules_);
        program.machine = machines_;
    }
    program.last_used = ++uses_;
    return program.compiled;
}

void ProgramCache::use(const topologies::Machine& machine)
{
    Structure structure(machine);
    if (!(structure == structure_)) {
        programs_.clear();
        structure_ = std::move(structure);
    }
    for (auto program = programs_.begin(); program != programs_.end();) {
        const bool has_roles = !program->second.graph->roles.empty();
        program = has_roles ? programs_.erase(program) : std::next(program);
    }
    schedules_->use(machine);
    machine_ = &machine;
    ++machines_;
}

void ProgramCache::make_room()
{
    for (auto program = programs_.begin(); program != programs_.end();) {
        const bool forgotten = program->second.graph.use_count() == 1;
        program = forgotten ? programs_.erase(program) : std::next(program);
    }
    if (programs_.size() >= most_programs) {
        programs_.erase(
            std::min_element(programs_.begin(), programs_.end(), [](const auto& a, const auto& b) {
                return a.second.last_used < b.second.last_used;
            }));
    }
}

} // namespace alxsim::model
