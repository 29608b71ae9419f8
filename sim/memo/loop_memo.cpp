// SPDX-License-Identifier: Apache-2.0
#include "sim/memo/loop_memo.h"

#include "base/work/debug_log.h"
#include "sim/kernel_time.h"
#include "sim/memo/loop_cuts.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace alxsim::sim {

using model::CompiledGraph;
using model::CompiledOp;

LoopMemo::LoopMemo(const topologies::Machine& machine, Network& network)
    : machine_(machine),
      network_(network)
{
}

LoopMemo::~LoopMemo() = default;

/// How many devices an iteration of `body` concerns; 0 if it depends on more than devices, or where
/// those of different roles meet.
int LoopMemo::members_of(const CompiledGraph& body) const
{
    if (model::any_op(body, [](const CompiledOp& op) {
            return op.cost.unit == model::Unit::host || op.meeting != nullptr;
        })) {
        return 0;
    }
    if (body.has_collectives) {
        return machine_.devices;
    }
    return moves_hbm_bytes(body) ? machine_.devices_per_chip : 1;
}

/// The same of a step, whose hosts devices report. Devices that never meet drift apart.
int LoopMemo::members_of_step(const CompiledGraph& graph) const
{
    const bool alike = graph.roles.empty() && !model::any_op(graph, [](const CompiledOp& op) {
                           return op.meeting != nullptr;
                       });
    return alike && graph.has_collectives ? machine_.devices : 0;
}

LoopMemo::Loop* LoopMemo::loop_of(const CompiledOp& repeat)
{
    return known_loop(repeat.body, false);
}

LoopMemo::Loop* LoopMemo::loop_of_steps(const std::shared_ptr<const model::CompiledGraph>& graph)
{
    return known_loop(graph, true);
}

LoopMemo::Loop* LoopMemo::known_loop(const std::shared_ptr<const CompiledGraph>& body,
                                     bool of_steps)
{
    const auto known = loops_.find(body.get());
    if (known != loops_.end() && !known->second.body.expired()) {
        return known->second.loop.get();
    }
    forget_dead_loops();
    KnownLoop& added = loops_[body.get()];
    added.body = body;
    if (const int members = of_steps ? members_of_step(*body) : members_of(*body); members > 0) {
        added.loop = std::make_unique<Loop>(machine_.devices, members, *body, of_steps);
    }
    return added.loop.get();
}

void LoopMemo::forget_dead_loops()
{
    for (auto known = loops_.begin(); known != loops_.end();) {
        if (known->second.body.expired()) {
            reported_.erase(
                std::remove(reported_.begin(), reported_.end(), known->second.loop.get()),
                reported_.end());
            known = loops_.erase(known);
        } else {
            ++known;
        }
    }
}

void LoopMemo::report(Loop& loop, int device, Report report)
{
    Cut& cut = loop.cut_of(device);
    Loop::Member& member = loop.member(device);
    const bool again = member.cut == cut.number;
    if (again || cut.reported == loop.group_size || cut.step != report.step ||
        cut.left != report.left) {
        next_cut(loop, cut, report);
    }
    const Picoseconds took = now() - member.time;
    if (cut.reported++ == 0) {
        cut.period = took;
        cut.entries = entries_;
        cut.encounters = network_.encounters();
    }
    cut.follows = cut.follows && report.follows && member.cut == cut.number - 1;
    cut.periodic = cut.periodic && cut.follows && took == cut.period;
    if (cut.skip.iterations > 0 && now() != loop.expected(device, cut.skip)) {
        throw std::logic_error("a periodic loop changed its period");
    }
    member = {cut.number, now(), report.hbm_until, std::move(report.host)};
    if (cut.reported == loop.group_size && loop.has_collectives) {
        reported_.push_back(&loop);
    }
}

void LoopMemo::next_cut(Loop& loop, Cut& cut, const Report& report)
{
    judge(loop, cut);
    if (cut.skip.iterations > 0 && cut.begun < loop.group_size) {
        throw std::logic_error("devices of a loop skipped different iterations");
    }
    const bool next_of_all = cut.reported == loop.group_size && report.follows &&
                             cut.step == report.step && cut.left == report.left + 1;
    Cut next;
    next.step = report.step;
    next.left = report.left;
    next.number = cut.number + 1;
    next.first_device = cut.first_device;
    next.follows = next_of_all;
    if (loop.has_collectives) {
        next.at_first = {network_.counters(), network_.counting()};
        next_of_all ? look_back(loop, cut, next) : loop.forget_past();
    }
    next.periodic = next_of_all && cut.at_rest;
    if (cut.next_skip.iterations > 0 && !next.periodic) {
        throw std::logic_error("a device left a loop whose iterations are to be skipped");
    }
    if (next.periodic && next.skip.iterations == 0 && !next.skip.too_long) {
        next.skip = cut.next_skip;
    }
    next.counters = std::move(cut.counters);
    next.judged = next.skip.iterations > 0 || next.skip.too_long;
    cut = std::move(next);
}

/// The first device reports the next iteration: whether `cut` was clean is known now, and whether
/// it has come back to a past one, before any device begins.
void LoopMemo::look_back(Loop& loop, Cut& cut, Cut& next)
{
    cut.clean =
        cut.clean || (cut.encounters == network_.encounters() &&
                      (!loop.moves_bytes || loop.hbm_at_rest(cut, machine_.devices_per_chip)));
    loop.remember(cut);
    const Round round = cut.next_skip.iterations > 0 ? Round() : round_of(loop);
    const auto cycle = static_cast<std::int64_t>(round.cycle);
    const std::int64_t rounds = cycle == 0 ? 0 : (next.left - 1) / cycle;
    if (rounds == 0 || round.duration <= Picoseconds(0)) {
        return;
    }
    // Traffic of the cycle that ends now: what the past cut's late devices still sent came before
    // it.
    const Traffic& before = loop.before(round.cycle - 1).at_first;
    if (!(before.counting == next.at_first.counting)) {
        return;
    }
    next.skip = skip_of(round.duration, round.cycle, rounds);
    if (next.skip.too_long) {
        return;
    }
    network_.repeat(before.counters, next.at_first.counters, rounds, now(),
                    now() + next.skip.duration);
}

/// The iterations that have come back to where they were.
LoopMemo::Round LoopMemo::round_of(const Loop& loop)
{
    const std::size_t cycle = loop.cycle();
    return cycle == 0 ? Round()
                      : Round{cycle, loop.last().times.front() - loop.before(cycle).times.front()};
}

LoopMemo::Skip LoopMemo::begin(Loop& loop, int device)
{
    Cut& cut = loop.cut_of(device);
    if (loop.member(device).cut != cut.number) {
        return {};
    }
    if (cut.reported == loop.group_size) {
        judge(loop, cut);
    }
    ++cut.begun;
    return cut.skip;
}

void LoopMemo::entering_collective()
{
    for (Loop* loop : reported_) {
        judge(*loop, loop->cut_of(0));
    }
    reported_.clear();
    ++entries_;
}

/// Whether all is at rest at the cut, which then is clean; if it also is the second such and a
/// period after the first, decides what to skip: here if no device has begun, else before the next
/// iteration.
void LoopMemo::judge(Loop& loop, Cut& cut)
{
    if (cut.judged) {
        return;
    }
    cut.judged = true;
    const bool network_at_rest =
        !loop.has_collectives || (cut.entries == entries_ && network_.idle());
    const bool hbm_at_rest = !loop.moves_bytes || loop.hbm_at_rest(cut, machine_.devices_per_chip);
    cut.at_rest = cut.reported == loop.group_size && network_at_rest && hbm_at_rest;
    cut.clean = cut.at_rest;
    if (!cut.at_rest || loop.of_steps) {
        return;
    }
    const NetworkCounters before = std::move(cut.counters);
    cut.counters = loop.has_collectives ? network_.counters() : NetworkCounters();
    const std::int64_t iterations = cut.left - (cut.begun == 0 ? 1 : 2);
    if (!cut.periodic || iterations < 1 || cut.period == Picoseconds(0)) {
        return;
    }
    const Skip skip = skip_of(cut.period, 1, iterations);
    (cut.begun == 0 ? cut.skip : cut.next_skip) = skip;
    if (loop.has_collectives) {
        const Picoseconds start = now() + (cut.begun == 0 ? Picoseconds(0) : cut.period);
        network_.repeat(before, cut.counters, iterations, start, start + skip.duration);
    }
}

LoopMemo::Skip LoopMemo::skip_of(Picoseconds period, std::size_t cycle, std::int64_t rounds)
{
    Skip skip;
    skip.number = ++skips_;
    try {
        repeated(period, now().count() / period.count() + 2 + rounds);
        skip.iterations = rounds * static_cast<std::int64_t>(cycle);
        skip.cycle = cycle;
        skip.duration = repeated(period, rounds);
        debug_log(DebugRoom::memo, [&] {
            return "leaves out " + std::to_string(skip.iterations) + " iterations, " +
                   std::to_string(skip.duration.count()) + " ps";
        });
    } catch (...) {
        failure_ = std::current_exception();
        skip.too_long = true;
    }
    return skip;
}

void LoopMemo::rethrow_failure() const
{
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void LoopMemo::declare_statistics(Statistics& statistics) const
{
    statistics.declare("loop_skips",
                       "Times that a loop had become periodic and iterations were left out.",
                       skips_);
}

} // namespace alxsim::sim
