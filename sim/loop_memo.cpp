// SPDX-License-Identifier: Apache-2.0
#include "sim/loop_memo.h"

#include "model/graph/for_each_op.h"
#include "sim/kernel_time.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::sim {
namespace {

using model::CompiledGraph;
using model::CompiledOp;

bool moves_hbm_bytes(const CompiledGraph& body)
{
    const auto moves = [](const model::OpCost& cost) { return cost.hbm.bytes > Bytes(0); };
    return model::any_op(body, [&moves](const CompiledOp& op) {
        return moves(op.cost) ||
               std::any_of(op.cost_of_device.begin(), op.cost_of_device.end(), moves);
    });
}

} // namespace

/// The iteration that a group of devices reported last.
struct LoopMemo::Cut {
    std::int64_t step = -1;
    std::int64_t left = 0;
    std::int64_t number = 0;
    int first_device = 0;
    int reported = 0; ///< devices
    int begun = 0;
    bool judged = false;
    bool clean = false;    ///< once judged
    bool periodic = false; ///< the same time after a clean one for all that have reported it
    Picoseconds period{0};
    std::int64_t entries = 0; ///< into collectives, before the first report
    NetworkCounters counters; ///< of the network before the iteration, if clean
    Skip skip;                ///< before this iteration
    Skip next_skip;           ///< before the next one
};

/// A repeat, on all groups of devices that run it independently of each other.
class LoopMemo::Loop {
public:
    struct Member {
        std::int64_t cut = -1; ///< number of the last one reported
        Picoseconds time{0};
        bool hbm_idle = true;
        Bytes hbm_bytes{0};
    };

    Loop(int devices, int devices_per_group, const CompiledGraph& body)
        : group_size(devices_per_group),
          has_collectives(body.has_collectives),
          moves_bytes(moves_hbm_bytes(body)),
          cuts_(static_cast<std::size_t>(devices / devices_per_group)),
          members_(static_cast<std::size_t>(devices))
    {
        for (std::size_t group = 0; group < cuts_.size(); ++group) {
            cuts_[group].first_device = static_cast<int>(group) * group_size;
        }
    }

    Cut& cut_of(int device) { return cuts_[static_cast<std::size_t>(device / group_size)]; }
    Member& member(int device) { return members_[static_cast<std::size_t>(device)]; }

    /// Whether the HBM of each of the group's chips was at rest from its first report to its last.
    bool hbm_at_rest(const Cut& cut, int devices_per_chip)
    {
        for (int i = 0; i < group_size; ++i) {
            const int device = cut.first_device + i;
            const Member& on_chip = member(device);
            const Member& first = member(device - device % devices_per_chip);
            if (!on_chip.hbm_idle || on_chip.hbm_bytes != first.hbm_bytes) {
                return false;
            }
        }
        return true;
    }

    const int group_size;
    const bool has_collectives;
    const bool moves_bytes;

private:
    std::vector<Cut> cuts_;
    std::vector<Member> members_;
};

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

LoopMemo::Loop* LoopMemo::loop_of(const CompiledOp& repeat)
{
    const auto known = loops_.find(repeat.body.get());
    if (known != loops_.end() && !known->second.body.expired()) {
        return known->second.loop.get();
    }
    forget_dead_loops();
    KnownLoop& added = loops_[repeat.body.get()];
    added.body = repeat.body;
    if (const int members = members_of(*repeat.body); members > 0) {
        added.loop = std::make_unique<Loop>(machine_.devices, members, *repeat.body);
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

void LoopMemo::report(Loop& loop, int device, const Report& report)
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
    }
    cut.periodic =
        cut.periodic && report.follows && member.cut == cut.number - 1 && took == cut.period;
    if (cut.skip.iterations > 0 && took != cut.skip.period) {
        throw std::logic_error("a periodic loop changed its period");
    }
    member = {cut.number, now(), report.hbm_idle, report.hbm_bytes};
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
    const bool follows =
        cut.clean && report.follows && cut.step == report.step && cut.left == report.left + 1;
    if (cut.next_skip.iterations > 0 && !follows) {
        throw std::logic_error("a device left a loop whose iterations are to be skipped");
    }
    Cut next;
    next.step = report.step;
    next.left = report.left;
    next.number = cut.number + 1;
    next.first_device = cut.first_device;
    next.periodic = follows;
    next.counters = std::move(cut.counters);
    if (follows) {
        next.skip = cut.next_skip;
        next.judged = next.skip.iterations > 0 || next.skip.too_long;
    }
    cut = std::move(next);
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

/// Whether the cut is clean; if it also is the second of two that are a period apart, decides what
/// to skip: here if no device has begun, else before the next iteration.
void LoopMemo::judge(Loop& loop, Cut& cut)
{
    if (cut.judged) {
        return;
    }
    cut.judged = true;
    const bool network_at_rest =
        !loop.has_collectives || (cut.entries == entries_ && network_.idle());
    const bool hbm_at_rest = !loop.moves_bytes || loop.hbm_at_rest(cut, machine_.devices_per_chip);
    cut.clean = cut.reported == loop.group_size && network_at_rest && hbm_at_rest;
    if (!cut.clean) {
        return;
    }
    const NetworkCounters before = std::move(cut.counters);
    cut.counters = loop.has_collectives ? network_.counters() : NetworkCounters();
    const std::int64_t iterations = cut.left - (cut.begun == 0 ? 1 : 2);
    if (!cut.periodic || iterations < 1 || cut.period == Picoseconds(0)) {
        return;
    }
    (cut.begun == 0 ? cut.skip : cut.next_skip) = skip_of(cut, iterations);
    if (loop.has_collectives) {
        const Picoseconds start = now() + (cut.begun == 0 ? Picoseconds(0) : cut.period);
        network_.repeat(before, cut.counters, iterations, start, start + cut.period * iterations);
    }
}

LoopMemo::Skip LoopMemo::skip_of(const Cut& cut, std::int64_t iterations)
{
    Skip skip{iterations, cut.period, ++skips_, false};
    try {
        repeated(cut.period, now().count() / cut.period.count() + 1 + iterations);
    } catch (...) {
        failure_ = std::current_exception();
        skip = {};
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
