// SPDX-License-Identifier: Apache-2.0
#include "model/graph/buffer_placement.h"

#include "base/input_error.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace alxsim::model {
namespace {

constexpr int no_loop = -1;

/// A repeat's ops among all ops of a graph and its bodies, counted as they stand.
struct Loop {
    std::size_t begin = 0;
    std::size_t end = 0;
    int around = no_loop;
};

/// Ops from the first to the last, counted as they stand.
struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// Use of a buffer, by the op at a place in a loop.
struct Use {
    std::size_t place = 0;
    int loop = no_loop;
    Bytes set{0}; ///< that it writes, whatever they were
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
    /// Its first use writes all of it, so that no iteration needs an earlier one.
    bool begins_anew = false;
    std::vector<int> loops; ///< in which it is used; no_loop: outside of all
    std::vector<Use> used;  ///< in the order of the ops

    bool leaves_or_enters() const { return !written || !read; }
    bool may_stay_in_vmem() const
    {
        return residency == Residency::vmem || (residency == Residency::any && !leaves_or_enters());
    }
    bool comes_and_goes_in_iterations() const
    {
        return residency == Residency::hbm_in_use || (residency == Residency::vmem && begins_anew);
    }
    /// Whose place in HBM others may take while it holds nothing that is read again.
    bool shares_its_place() const { return residency == Residency::any && !leaves_or_enters(); }
    bool lives_through_the_step() const
    {
        return residency == Residency::hbm || residency == Residency::host ||
               residency == Residency::storage ||
               (residency != Residency::hbm_in_use && leaves_or_enters());
    }
};

/// Finds the lives of a graph's buffers, by the places of ops, its bodies' included. For one graph
/// after another, whose memory it keeps.
class Lives {
public:
    void find(const OpGraph& graph)
    {
        numbers_.clear();
        count_ = places_ = 0;
        loops_.clear();
        visit(graph, no_loop);
        for (std::size_t i = 0; i < count_; ++i) {
            Life& life = lives_[i];
            if (life.lives_through_the_step()) {
                life.first = 0;
                life.last = places() - 1;
            } else {
                extend_over_loops(life);
            }
        }
    }

    /// In the order in which the graph declares and then uses them.
    const Life* begin() const { return lives_.data(); }
    const Life* end() const { return lives_.data() + count_; }
    std::size_t places() const { return std::max<std::size_t>(1, places_); }

    /// When a buffer that stands in HBM is needed: from a write of all of it to the last use before
    /// the next such write. What a loop does not begin with writing comes from before it or from
    /// its last iteration, and is there as long as the loop.
    void find_needed(const Life& life, std::vector<Range>& needed) const
    {
        needed.clear();
        if (!life.shares_its_place()) {
            needed.push_back({life.first, life.last});
            return;
        }
        const Use* before = nullptr;
        for (const Use& use : life.used) {
            const bool anew = use.set >= life.bytes && use.set > Bytes(0);
            if (needed.empty() || (anew && use.place > needed.back().last)) {
                needed.push_back({use.place, use.place});
            }
            Range& range = needed.back();
            range.last = std::max(range.last, use.place);
            for (int loop = anew ? no_loop : use.loop; loop != no_loop;
                 loop = loop_of(loop).around) {
                if (before == nullptr || before->place <= loop_of(loop).begin) {
                    range.first = std::min(range.first, loop_of(loop).begin);
                    range.last = std::max(range.last, loop_of(loop).end - 1);
                }
            }
            before = &use;
        }
    }

private:
    const Loop& loop_of(int number) const { return loops_[static_cast<std::size_t>(number)]; }

    void visit(const OpGraph& graph, int loop)
    {
        declare(graph);
        for (const Op& op : graph.ops) {
            visit(op, loop);
        }
    }

    void visit(const Op& op, int loop)
    {
        for (const BufferUse& use : op.reads) {
            touch(use, loop).read = true;
        }
        for (const BufferUse& use : op.writes) {
            Life& life = touch(use, loop);
            const auto* scatter = std::get_if<RowScatter>(&op.work);
            const bool whole = use.touched >= life.bytes && !(scatter && scatter->accumulate);
            if (life.used.size() == 1 || life.used.end()[-2].place != places_) {
                life.used.back().set = whole ? use.touched : Bytes(0);
            }
            life.begins_anew = life.begins_anew || (life.uses == 1 && whole);
            life.written = true;
        }
        const OpGraph* body = body_of(op);
        const std::size_t begin = places_++;
        if (body != nullptr) {
            const std::size_t inner = loops_.size();
            loops_.push_back({begin, std::numeric_limits<std::size_t>::max(), loop});
            visit(*body, static_cast<int>(inner));
            loops_[inner].end = places_;
        }
    }

    /// The innermost loop in which all of these stand.
    int loop_around(const std::vector<int>& loops) const
    {
        const auto holds_all = [&](const Loop& outer) {
            return std::all_of(loops.begin(), loops.end(), [&](int inner) {
                return inner != no_loop && outer.begin <= loop_of(inner).begin &&
                       loop_of(inner).end <= outer.end;
            });
        };
        int outer = loops.empty() ? no_loop : loops.front();
        while (outer != no_loop && !holds_all(loop_of(outer))) {
            outer = loop_of(outer).around;
        }
        return outer;
    }

    /// What is used within one iteration alone, and said to come and go, does so in each. All else
    /// that a loop uses is alive as long as the loop.
    void extend_over_loops(Life& life) const
    {
        const int within = life.comes_and_goes_in_iterations() ? loop_around(life.loops) : no_loop;
        for (int loop : life.loops) {
            for (; loop != within && loop != no_loop; loop = loop_of(loop).around) {
                life.first = std::min(life.first, loop_of(loop).begin);
                life.last = std::max(life.last, loop_of(loop).end - 1);
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

    Life& touch(const BufferUse& use, int loop)
    {
        Life& life = life_of(use.buffer);
        life.first = std::min(life.first, places_);
        life.last = std::max(life.last, places_);
        ++life.uses;
        life.used.push_back({places_, loop});
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
        if (number == count_) {
            if (count_ == lives_.size()) {
                lives_.emplace_back();
            }
            Life& life = lives_[count_];
            std::vector<int> loops = std::move(life.loops);
            std::vector<Use> used = std::move(life.used);
            loops.clear();
            used.clear();
            life = {};
            life.loops = std::move(loops);
            life.used = std::move(used);
            life.name = name;
            ++count_;
        }
        return lives_[number];
    }

    NameNumbers numbers_;
    std::vector<Life> lives_; ///< the first `count_`; the rest is memory of others before
    std::size_t count_ = 0;
    std::vector<Loop> loops_;
    std::size_t places_ = 0;
};

/// How much of a memory is taken at each op: a tree of maxima over ranges of ops, so that a buffer
/// costs the logarithm of their number however long it lives.
class Occupancy {
public:
    /// Nothing is taken.
    void start(std::size_t positions)
    {
        leaves_ = 1;
        while (leaves_ < positions) {
            leaves_ *= 2;
        }
        most_.assign(2 * leaves_, Bytes(0));
        added_.assign(2 * leaves_, Bytes(0));
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

/// What one placement after another needs.
struct Scratch {
    Lives lives;
    Occupancy in_vmem;
    std::vector<const Life*> candidates;
    std::vector<Bytes> more; ///< [position]: than at the one before
    struct InHbm {
        const Life* life;
        Range needed;
    };
    std::vector<InHbm> in_hbm;
    std::vector<Range> needed;
};

void find_candidates_in_order(Scratch& scratch)
{
    scratch.candidates.clear();
    for (const Life& life : scratch.lives) {
        if (life.may_stay_in_vmem()) {
            scratch.candidates.push_back(&life);
        }
    }
    std::sort(scratch.candidates.begin(), scratch.candidates.end(),
              [](const Life* one, const Life* other) {
                  const Life& a = *one;
                  const Life& b = *other;
                  const bool must = a.residency == Residency::vmem;
                  if (must != (b.residency == Residency::vmem)) {
                      return must;
                  }
                  if (a.uses != b.uses) {
                      return a.uses > b.uses;
                  }
                  return a.bytes != b.bytes ? a.bytes < b.bytes : a.name < b.name;
              });
}

[[noreturn]] void refuse(const Life& life, Bytes left)
{
    throw InputError("", "buffer '" + life.name + "'",
                     "found residency vmem for " + std::to_string(life.bytes.count()) +
                         " bytes; allowed: up to the " + std::to_string(left.count()) +
                         " that are left there, or residency any");
}

/// What stands in HBM, at the first op where most of it is alive.
void add_what_stands_in_hbm(Scratch& scratch, BufferPlacement& placement)
{
    const std::size_t positions = scratch.lives.places();
    scratch.more.assign(positions + 1, Bytes(0));
    scratch.in_hbm.clear();
    for (const Life& life : scratch.lives) {
        if (placement.tier_of(life.name) != topologies::Tier::hbm) {
            continue;
        }
        scratch.lives.find_needed(life, scratch.needed);
        for (const Range& needed : scratch.needed) {
            scratch.in_hbm.push_back({&life, needed});
            scratch.more[needed.first] += life.bytes;
            scratch.more[std::min(needed.last + 1, positions)] -= life.bytes;
        }
    }
    std::size_t fullest = 0;
    Bytes taken(0);
    for (std::size_t at = 0; at < positions; ++at) {
        taken += scratch.more[at];
        if (at == 0 || taken > placement.hbm_peak) {
            placement.hbm_peak = taken;
            fullest = at;
        }
    }
    for (const Scratch::InHbm& one : scratch.in_hbm) {
        if (one.needed.first <= fullest && fullest <= one.needed.last) {
            placement.hbm_at_peak.push_back({one.life->name, one.life->bytes});
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

void start_over(BufferPlacement& placement)
{
    placement.in_vmem.clear();
    placement.in_host.clear();
    placement.in_storage.clear();
    placement.vmem_peak = placement.hbm_peak = Bytes(0);
    placement.host_peak = placement.storage_peak = Bytes(0);
    placement.hbm_at_peak.clear();
}

/// `keeps_arrays`: others than those that are declared to stay in VMEM may, too.
void place_in(const OpGraph& graph, Bytes vmem, bool keeps_arrays, BufferPlacement& placement)
{
    thread_local Scratch scratch;
    start_over(placement);
    scratch.lives.find(graph);
    for (const Life& life : scratch.lives) {
        if (life.residency == Residency::host) {
            placement.in_host.insert(life.name);
            placement.host_peak += life.bytes;
        } else if (life.residency == Residency::storage) {
            placement.in_storage.insert(life.name);
            placement.storage_peak += life.bytes;
        }
    }
    Occupancy& in_vmem = scratch.in_vmem;
    in_vmem.start(scratch.lives.places());
    find_candidates_in_order(scratch);
    for (const Life* candidate : scratch.candidates) {
        const Life& life = *candidate;
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
    add_what_stands_in_hbm(scratch, placement);
}

} // namespace

BufferPlacement place(const OpGraph& graph, Bytes vmem)
{
    BufferPlacement placement;
    place_in(graph, vmem, true, placement);
    return placement;
}

BufferPlacement place(const OpGraph& graph, const topologies::DeviceSpec& device)
{
    BufferPlacement placement;
    place(graph, device, placement);
    return placement;
}

void place(const OpGraph& graph, const topologies::DeviceSpec& device, BufferPlacement& placement)
{
    place_in(graph, usable_vmem(device), device.keeps_arrays_in_vmem, placement);
}

} // namespace alxsim::model
