// SPDX-License-Identifier: Apache-2.0
#include "model/graph/buffer_placement.h"

#include "base/input_error.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>

namespace alxsim::model {
namespace {

/// A repeat's ops among all ops of a graph and its bodies, counted as they stand.
struct Loop {
    std::size_t begin = 0;
    std::size_t end = 0;
    const Loop* around = nullptr;
};

struct Life {
    Name name;
    Bytes bytes{0};
    std::size_t first = std::numeric_limits<std::size_t>::max();
    std::size_t last = 0;
    std::int64_t uses = 0;
    bool declared = false;
    Residency residency = Residency::any;
    bool written = false;
    bool read = false;
    bool begins_anew =
        false; ///< its first use writes all of it, so that no iteration needs an earlier one
    std::vector<const Loop*> loops; ///< in which it is used; null: outside of all

    bool leaves_or_enters() const { return !written || !read; }
    bool may_stay_in_vmem() const
    {
        return residency == Residency::vmem || (residency == Residency::any && !leaves_or_enters());
    }
    bool comes_and_goes_in_iterations() const
    {
        return residency == Residency::hbm_in_use || (residency == Residency::vmem && begins_anew);
    }
    bool lives_through_the_step() const
    {
        return residency == Residency::hbm || residency == Residency::host ||
               (residency != Residency::hbm_in_use && leaves_or_enters());
    }
};

/// The innermost loop in which all of these stand; null: none.
const Loop* loop_around(const std::vector<const Loop*>& loops)
{
    const auto holds_all = [&](const Loop* outer) {
        return std::all_of(loops.begin(), loops.end(), [&](const Loop* inner) {
            return inner != nullptr && outer->begin <= inner->begin && inner->end <= outer->end;
        });
    };
    const Loop* outer = loops.empty() ? nullptr : loops.front();
    while (outer != nullptr && !holds_all(outer)) {
        outer = outer->around;
    }
    return outer;
}

/// Finds the lives of a graph's buffers, by the places of ops, its bodies' included.
class Lives {
public:
    explicit Lives(const OpGraph& graph)
    {
        lives_.reserve(4 * graph.ops.size());
        visit(graph, nullptr);
        for (Life& life : lives_) {
            if (life.lives_through_the_step()) {
                life.first = 0;
                life.last = places() - 1;
            } else {
                extend_over_loops(life);
            }
        }
    }

    /// In the order in which the graph declares and then uses them.
    const std::vector<Life>& all() const { return lives_; }
    std::size_t places() const { return std::max<std::size_t>(1, places_); }

private:
    void visit(const OpGraph& graph, const Loop* loop)
    {
        declare(graph);
        for (const Op& op : graph.ops) {
            visit(op, loop);
        }
    }

    void visit(const Op& op, const Loop* loop)
    {
        for (const BufferUse& use : op.reads) {
            touch(use, loop).read = true;
        }
        for (const BufferUse& use : op.writes) {
            Life& life = touch(use, loop);
            const auto* scatter = std::get_if<RowScatter>(&op.work);
            const bool whole = use.touched >= life.bytes && !(scatter && scatter->accumulate);
            life.begins_anew = life.begins_anew || (life.uses == 1 && whole);
            life.written = true;
        }
        const OpGraph* body = body_of(op);
        const std::size_t begin = places_++;
        if (body != nullptr) {
            Loop& inner = loops_.emplace_back();
            inner = {begin, std::numeric_limits<std::size_t>::max(), loop};
            visit(*body, &inner);
            inner.end = places_;
        }
    }

    /// What is used within one iteration alone, and said to come and go, does so in each. All else
    /// that a loop uses is alive as long as the loop.
    static void extend_over_loops(Life& life)
    {
        const Loop* within =
            life.comes_and_goes_in_iterations() ? loop_around(life.loops) : nullptr;
        for (const Loop* loop : life.loops) {
            for (; loop != within && loop != nullptr; loop = loop->around) {
                life.first = std::min(life.first, loop->begin);
                life.last = std::max(life.last, loop->end - 1);
            }
        }
    }

    void declare(const OpGraph& graph)
    {
        for (const Buffer& buffer : graph.buffers) {
            Life& life = life_of(buffer.name);
            life.declared = true;
            life.bytes = buffer.bytes;
            life.residency = buffer.residency;
        }
    }

    Life& touch(const BufferUse& use, const Loop* loop)
    {
        Life& life = life_of(use.buffer);
        life.first = std::min(life.first, places_);
        life.last = std::max(life.last, places_);
        ++life.uses;
        if (life.loops.empty() || life.loops.back() != loop) {
            life.loops.push_back(loop);
        }
        if (!life.declared) {
            life.bytes = std::max(life.bytes, use.touched);
        }
        return life;
    }

    Life& life_of(Name name)
    {
        const std::size_t number = numbers_.number_of(name);
        if (number == lives_.size()) {
            lives_.emplace_back().name = name;
        }
        return lives_[number];
    }

    NameNumbers numbers_;
    std::vector<Life> lives_;
    std::deque<Loop> loops_;
    std::size_t places_ = 0;
};

/// How much of a memory is taken at each op: a tree of maxima over ranges of ops, so that a buffer
/// costs the logarithm of their number however long it lives.
class Occupancy {
public:
    explicit Occupancy(std::size_t positions)
    {
        while (leaves_ < positions) {
            leaves_ *= 2;
        }
        most_.resize(2 * leaves_);
        added_.resize(2 * leaves_);
    }

    Bytes peak_over(const Life& life) const { return peak(1, 0, leaves_, life); }
    void take(const Life& life) { add(1, 0, leaves_, life); }
    Bytes peak() const { return most_[1]; }

private:
    Bytes peak(std::size_t node, std::size_t begin, std::size_t end, const Life& life) const
    {
        if (life.last < begin || end <= life.first) {
            return Bytes(0);
        }
        if (life.first <= begin && end <= life.last + 1) {
            return most_[node];
        }
        const std::size_t middle = (begin + end) / 2;
        return added_[node] +
               std::max(peak(2 * node, begin, middle, life), peak(2 * node + 1, middle, end, life));
    }

    void add(std::size_t node, std::size_t begin, std::size_t end, const Life& life)
    {
        if (life.last < begin || end <= life.first) {
            return;
        }
        if (life.first <= begin && end <= life.last + 1) {
            most_[node] += life.bytes;
            added_[node] += life.bytes;
            return;
        }
        const std::size_t middle = (begin + end) / 2;
        add(2 * node, begin, middle, life);
        add(2 * node + 1, middle, end, life);
        most_[node] = added_[node] + std::max(most_[2 * node], most_[2 * node + 1]);
    }

    std::size_t leaves_ = 1;
    std::vector<Bytes> most_;  ///< of the range below, without what is added further up
    std::vector<Bytes> added_; ///< to the whole range
};

std::vector<Life> candidates_in_order(const std::vector<Life>& lives)
{
    std::vector<Life> candidates;
    std::copy_if(lives.begin(), lives.end(), std::back_inserter(candidates),
                 [](const Life& life) { return life.may_stay_in_vmem(); });
    std::sort(candidates.begin(), candidates.end(), [](const Life& a, const Life& b) {
        const bool must = a.residency == Residency::vmem;
        if (must != (b.residency == Residency::vmem)) {
            return must;
        }
        if (a.uses != b.uses) {
            return a.uses > b.uses;
        }
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.name < b.name;
    });
    return candidates;
}

[[noreturn]] void refuse(const Life& life, Bytes left)
{
    throw InputError("", "buffer '" + life.name + "'",
                     "found residency vmem for " + std::to_string(life.bytes.count()) +
                         " bytes; allowed: up to the " + std::to_string(left.count()) +
                         " that are left there, or residency any");
}

/// What stands in HBM, at the first op where most of it is alive.
void add_what_stands_in_hbm(const std::vector<Life>& lives, std::size_t positions,
                            BufferPlacement& placement)
{
    std::vector<Bytes> more(positions + 1, Bytes(0)); // than at the position before
    std::vector<const Life*> in_hbm;
    for (const Life& life : lives) {
        if (placement.tier_of(life.name) == topologies::Tier::hbm) {
            in_hbm.push_back(&life);
            more[life.first] += life.bytes;
            more[std::min(life.last + 1, positions)] -= life.bytes;
        }
    }
    std::size_t fullest = 0;
    Bytes taken(0);
    for (std::size_t at = 0; at < positions; ++at) {
        taken += more[at];
        if (at == 0 || taken > placement.hbm_peak) {
            placement.hbm_peak = taken;
            fullest = at;
        }
    }
    for (const Life* life : in_hbm) {
        if (life->first <= fullest && fullest <= life->last) {
            placement.hbm_at_peak.push_back({life->name, life->bytes});
        }
    }
}

} // namespace

std::map<std::string, Bytes> parts_of(const std::vector<Buffer>& buffers)
{
    std::map<std::string, Bytes> parts;
    for (const Buffer& buffer : buffers) {
        const std::string& name = buffer.name;
        parts[name.substr(0, name.find('.'))] += buffer.bytes;
    }
    return parts;
}

Bytes usable_vmem(const topologies::DeviceSpec& device)
{
    return std::max(Bytes(0), device.vmem - device.dma_tile * 4);
}

namespace {

/// `keeps_arrays`: others than those that are declared to stay in VMEM may, too.
BufferPlacement place_in(const OpGraph& graph, Bytes vmem, bool keeps_arrays)
{
    const Lives found(graph);
    const std::vector<Life>& lives = found.all();
    BufferPlacement placement;
    for (const Life& life : lives) {
        if (life.residency == Residency::host) {
            placement.in_host.insert(life.name);
            placement.host_peak += life.bytes;
        }
    }
    Occupancy in_vmem(found.places());
    for (const Life& life : candidates_in_order(lives)) {
        if (life.residency != Residency::vmem && !keeps_arrays) {
            break; // those declared come first
        }
        if (in_vmem.peak_over(life) + life.bytes <= vmem) {
            in_vmem.take(life);
            placement.in_vmem.insert(life.name);
        } else if (life.residency == Residency::vmem) {
            refuse(life, vmem - in_vmem.peak_over(life));
        }
    }
    placement.vmem_peak = in_vmem.peak();

    add_what_stands_in_hbm(lives, found.places(), placement);
    return placement;
}

} // namespace

BufferPlacement place(const OpGraph& graph, Bytes vmem)
{
    return place_in(graph, vmem, true);
}

BufferPlacement place(const OpGraph& graph, const topologies::DeviceSpec& device)
{
    return place_in(graph, usable_vmem(device), device.keeps_arrays_in_vmem);
}

} // namespace alxsim::model
