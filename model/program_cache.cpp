// SPDX-License-Identifier: Apache-2.0
#include "model/program_cache.h"

#include "base/work/debug_log.h"
#include "model/graph/check.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <numeric>
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

/// Those of its roles.
std::size_t ops_of(const OpGraph& graph)
{
    return std::accumulate(
        graph.roles.begin(), graph.roles.end(), std::size_t{0},
        [](std::size_t ops, const Role& role) { return ops + role.graph->ops.size(); });
}

} // namespace

ProgramCache::Order::Order(const topologies::Machine& machine)
    : axes(machine.slice.axes()),
      twisted(machine.slice.twisted()),
      devices(machine.devices),
      devices_per_chip(machine.devices_per_chip),
      overlap(overlap_of(machine.network))
{
}

bool ProgramCache::Order::operator==(const Order& other) const
{
    const auto all = [](const Order& one) {
        return std::tie(one.axes, one.twisted, one.devices, one.devices_per_chip, one.overlap);
    };
    return all(*this) == all(other);
}

ProgramCache::Memory::Memory(const topologies::Machine& machine)
    : vmem(usable_vmem(machine.device)),
      keeps_arrays_in_vmem(machine.device.keeps_arrays_in_vmem)
{
}

bool ProgramCache::Memory::operator==(const Memory& other) const
{
    return vmem == other.vmem && keeps_arrays_in_vmem == other.keeps_arrays_in_vmem;
}

std::shared_ptr<const CompiledGraph>
ProgramCache::compiled(const std::shared_ptr<const OpGraph>& graph)
{
    const auto found = programs_.find(graph.get());
    if (found == programs_.end() || !found->second.is_compiled) {
        check(*graph, *machine_);
    }
    Kept& program = kept(graph);
    if (program.is_compiled && program.machine != machines_) {
        program.estimate.reset();
        program.is_compiled = false; // should it be refused half way
        program.is_compiled = cost_again(*program.compiled, program.placement, *machine_, phases_,
                                         *schedules_, streams_);
    }
    if (!program.is_compiled) {
        program.estimate.reset();
        compile_anew(program);
    }
    program.machine = machines_;
    program.last_used = ++uses_;
    return program.compiled;
}

const BufferPlacement& ProgramCache::placement(const std::shared_ptr<const OpGraph>& graph)
{
    return kept(graph).placement;
}

ProgramCache::Kept& ProgramCache::kept(const std::shared_ptr<const OpGraph>& graph)
{
    const auto found = programs_.find(graph.get());
    if (found != programs_.end()) {
        return found->second;
    }
    make_room();
    Kept* added = nullptr;
    const auto spare = spare_for(*graph);
    if (spare == spare_.end()) {
        added = &programs_[graph.get()];
    } else {
        std::swap(*spare, spare_.back());
        spare_.back().key() = graph.get();
        added = &programs_.insert(std::move(spare_.back())).position->second;
        spare_.pop_back();
    }
    added->graph = graph;
    added->last_used = ++uses_;
    try {
        place(*graph, machine_->device, added->placement);
    } catch (...) { // it does not fit
        programs_.erase(graph.get());
        throw;
    }
    return *added;
}

std::vector<ProgramCache::Programs::node_type>::iterator
ProgramCache::spare_for(const OpGraph& graph)
{
    auto found = spare_.end();
    bool ordered = false;
    for (auto spare = spare_.begin(); spare != spare_.end(); ++spare) { // the latest use last
        const Kept& kept = spare->mapped();
        const bool ordered_here = kept.before != nullptr && kept.order == order_;
        if (kept.compiled != nullptr && kept.compiled->ops.size() == graph.ops.size() &&
            (ordered_here || !ordered)) {
            found = spare;
            ordered = ordered_here;
        }
    }
    return found;
}

void ProgramCache::compile_anew(Kept& program)
{
    const OpGraph& graph = *program.graph;
    debug_log(DebugRoom::programs, [&] {
        return "compiles '" + graph.name + "': " + std::to_string(graph.ops.size()) + " ops, " +
               std::to_string(graph.roles.size()) + " roles";
    });
    const std::shared_ptr<const OpGraph> before = std::move(program.before); // unless this throws
    if (program.compiled == nullptr || !graph.roles.empty()) {
        program.compiled = compile(graph, program.placement, *machine_, phases_, *schedules_);
    } else if (before == nullptr || program.order != order_ ||
               !set_to_numbers(*program.compiled, graph, program.placement, *machine_, phases_,
                               *schedules_, streams_)) {
        compile_into(*program.compiled, graph, program.placement, *machine_, phases_, *schedules_,
                     streams_);
    }
    program.is_compiled = true;
}

std::size_t ProgramCache::number_of(Order order)
{
    const auto found = std::find(orders_.begin(), orders_.end(), order);
    if (found == orders_.end() && orders_.size() == most_orders) {
        spare_.clear();
        orders_.clear();
    } else if (found != orders_.end()) {
        return static_cast<std::size_t>(found - orders_.begin());
    }
    orders_.push_back(std::move(order));
    return orders_.size() - 1;
}

void ProgramCache::use(const topologies::Machine& machine)
{
    const Memory memory(machine);
    Order order(machine);
    const bool others = !(memory == memory_) || !(order == orders_[order_]);
    for (auto program = programs_.begin(); program != programs_.end();) {
        const Kept& kept = program->second;
        const bool forgotten = others || !kept.is_compiled;
        program = forgotten ? forget(program) : std::next(program);
    }
    if (others) {
        memory_ = memory;
        order_ = number_of(std::move(order));
    }
    schedules_->use(machine);
    machine_ = &machine;
    streams_ = StreamRates(machine.hbm);
    ++machines_;
}

void ProgramCache::keep_what_others_may_ask_for()
{
    std::vector<Programs::iterator> with_roles;
    for (auto program = programs_.begin(); program != programs_.end();) {
        const OpGraph& graph = *program->second.graph;
        const bool kept = program->second.is_compiled &&
                          (!graph.roles.empty() || graph.ops.size() <= most_ops_kept) &&
                          !any_op(graph, [](const Op& op) { return op.work_of_device; });
        if (kept && !graph.roles.empty()) {
            with_roles.push_back(program);
        }
        program = kept ? std::next(program) : programs_.erase(program);
    }
    std::sort(with_roles.begin(), with_roles.end(), [](const auto& a, const auto& b) {
        return a->second.last_used > b->second.last_used;
    });
    std::size_t ops = 0;
    for (const Programs::iterator& program : with_roles) {
        ops += ops_of(*program->second.graph);
        if (ops > most_ops_of_roles_kept) {
            programs_.erase(program);
        }
    }
    spare_.clear();
}

void ProgramCache::make_room()
{
    for (auto program = programs_.begin(); program != programs_.end();) {
        const bool forgotten = program->second.graph.use_count() == 1;
        program = forgotten ? forget(program) : std::next(program);
    }
    if (programs_.size() >= most_programs) {
        programs_.erase(
            std::min_element(programs_.begin(), programs_.end(), [](const auto& a, const auto& b) {
                return a.second.last_used < b.second.last_used;
            }));
    }
}

ProgramCache::Programs::iterator ProgramCache::forget(Programs::iterator program)
{
    Kept& kept = program->second;
    if (!kept.graph->roles.empty() || kept.compiled.use_count() != 1) {
        return programs_.erase(program);
    }
    if (spare_.size() == most_spare) {
        spare_.erase(spare_.begin()); // the one that has been of no use for longest
    }
    kept.before = kept.is_compiled ? std::move(kept.graph) : nullptr;
    kept.order = order_;
    kept.graph = nullptr;
    kept.is_compiled = false;
    const auto next = std::next(program);
    spare_.push_back(programs_.extract(program));
    return next;
}

} // namespace alxsim::model
