// SPDX-License-Identifier: Apache-2.0
// Loops of a step, and layers.
#include "spmd/step_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::spmd {

void StepBuilder::repeat(const std::string& name, const std::string& phase, std::int64_t times,
                         const std::function<void(std::int64_t)>& body, std::int64_t place)
{
    scopes_.emplace_back();
    const std::int64_t times_outside = std::exchange(times_, times_ * times);
    body(place);
    times_ = times_outside;
    Scope inner = std::move(scopes_.back());
    scopes_.pop_back();
    append_repeat(std::move(inner), name, phase, times);
}

std::int64_t StepBuilder::loop(const std::string& name, const std::string& phase,
                               std::int64_t times, const std::function<void()>& body,
                               const std::function<bool(std::int64_t)>& done)
{
    if (has_numbers() && (pool_ == nullptr || scopes_.size() > 1)) {
        throw std::logic_error("the numbers of a loop are computed at once, in no other loop: " +
                               name);
    }
    const std::size_t first_collective = collectives_.size();
    const std::size_t first_transfer = transfers_.size();
    scopes_.emplace_back();
    body();
    Scope inner = std::move(scopes_.back());
    scopes_.pop_back();
    if (has_numbers()) {
        std::int64_t computed = 1;
        // Asked even where the times are given: done() may keep what it sees.
        while (times > 0 ? (done(computed), computed < times) : !done(computed)) {
            model::run_effects(inner.graph, numbers_->devices(), *pool_);
            ++computed;
        }
        times = computed;
        for (model::Op& op : inner.graph.ops) {
            op.effect = nullptr;
        }
    }
    for (std::size_t i = first_collective; i < collectives_.size(); ++i) {
        collectives_[i].times *= times;
    }
    for (std::size_t i = first_transfer; i < transfers_.size(); ++i) {
        transfers_[i].times *= times;
    }
    append_repeat(std::move(inner), name, phase, times);
    return times;
}

void StepBuilder::append_repeat(Scope inner, const std::string& name, const std::string& phase,
                                std::int64_t times)
{
    place(repeat_of(std::move(inner), name, phase, times));
}

/// It waits for what its ops use; the uses themselves are theirs.
StepBuilder::Unordered StepBuilder::repeat_of(Scope inner, const std::string& name,
                                              const std::string& phase, std::int64_t times) const
{
    inner.graph.name = name;
    model::Op op;
    op.name = name;
    op.phase = phase;
    op.work =
        model::Repeat{times, "", std::make_shared<const model::OpGraph>(std::move(inner.graph))};
    const auto leaves = [this](const std::vector<int>& ids) {
        std::vector<Touch> touches;
        for (const int id : ids) {
            touches.emplace_back(Array{id});
        }
        return with_parts(touches);
    };
    return {std::move(op), leaves(inner.all), leaves(inner.written)};
}

void StepBuilder::layers(const std::string& name, const std::string& phase, std::int64_t times,
                         Order order, const std::function<void(std::int64_t)>& body)
{
    if (!has_numbers() && times > 1) {
        repeat(name, phase, times, body);
        return;
    }
    for (std::int64_t i = 0; i < times; ++i) {
        body(order == Order::up ? i : times - 1 - i);
    }
}

// Layers are counted here in the order in which they are worked on. Those that both fetch and drain
// for others are alike; the first has none before it to drain for, the last none to fetch for.
void StepBuilder::layers_ahead(const std::string& name, const std::string& phase,
                               std::int64_t times, Order order, const LayerParts& parts)
{
    const auto do_for = [&](const OfLayer& what, std::int64_t place) {
        if (what && place >= 0 && place < times) {
            what(order == Order::up ? place : times - 1 - place);
        }
    };
    const auto work_on = [&](std::int64_t place) {
        do_for(parts.begin, place);
        do_for(parts.fetch, place + 1);
        do_for(parts.drain, place - 1);
        do_for(parts.body, place);
    };
    const std::int64_t begin = parts.drain ? 1 : 0;
    const std::int64_t alike = has_numbers() ? 0 : times - begin - (parts.fetch ? 1 : 0);
    do_for(parts.fetch, 0);
    std::int64_t place = 0;
    if (alike > 1) {
        for (; place < begin; ++place) {
            work_on(place);
        }
        repeat(name, phase, alike, work_on, begin);
        place += alike;
        turned_ += alike - 1;
    }
    for (; place < times; ++place) {
        work_on(place);
    }
    do_for(parts.drain, times - 1);
    turned_ -= std::max<std::int64_t>(0, alike - 1);
}

} // namespace alxsim::spmd
