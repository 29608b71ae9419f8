// SPDX-License-Identifier: Apache-2.0
#include "model/placement.h"

#include <algorithm>
#include <limits>

namespace alxsim::model {
namespace {

struct Life {
    std::string name;
    Bytes bytes{0};
    std::size_t first = std::numeric_limits<std::size_t>::max();
    std::size_t last = 0;
    std::int64_t uses = 0;
    bool written = false;
    bool read = false;
    bool held = false; ///< through the whole step

    bool leaves_or_enters() const
    {
        return held || !written || !read || name.rfind("tables.", 0) == 0;
    }
};

class Lives {
public:
    explicit Lives(const OpGraph& graph)
    {
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            visit(graph.ops[i], i);
        }
        hold(graph);
        positions_ = graph.ops.size();
        for (auto& [name, life] : by_name_) {
            if (life.leaves_or_enters()) {
                life.first = 0;
                life.last = positions_ == 0 ? 0 : positions_ - 1;
            }
        }
    }

    std::size_t positions() const { return positions_; }
    const std::map<std::string, Life>& by_name() const { return by_name_; }

private:
    void visit(const Op& op, std::size_t position)
    {
        for (const BufferUse& use : op.reads) {
            touch(use, position).read = true;
        }
        for (const BufferUse& use : op.writes) {
            touch(use, position).written = true;
        }
        if (const Repeat* repeat = std::get_if<Repeat>(&op.work)) {
            for (const Op& inner : repeat->body->ops) {
                visit(inner, position);
            }
            hold(*repeat->body);
        }
    }

    void hold(const OpGraph& graph)
    {
        for (const BufferUse& buffer : graph.held) {
            Life& life = by_name_[buffer.name];
            life.name = buffer.name;
            life.bytes = std::max(life.bytes, buffer.bytes);
            life.held = true;
        }
    }

    Life& touch(const BufferUse& use, std::size_t position)
    {
        Life& life = by_name_[use.name];
        life.name = use.name;
        life.bytes = std::max(life.bytes, use.bytes);
        life.first = std::min(life.first, position);
        life.last = std::max(life.last, position);
        ++life.uses;
        return life;
    }

    std::map<std::string, Life> by_name_;
    std::size_t positions_ = 0;
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

    /// The first position where most is taken.
    std::size_t fullest() const
    {
        std::size_t node = 1;
        while (node < leaves_) {
            node = 2 * node + (most_[2 * node] >= most_[2 * node + 1] ? 0 : 1);
        }
        return node - leaves_;
    }

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

std::vector<Life> candidates_in_order(const Lives& lives)
{
    std::vector<Life> candidates;
    for (const auto& [name, life] : lives.by_name()) {
        if (!life.leaves_or_enters()) {
            candidates.push_back(life);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Life& a, const Life& b) {
        return a.uses != b.uses ? a.uses > b.uses : a.bytes < b.bytes;
    });
    return candidates;
}

} // namespace

Bytes usable_vmem(const topologies::DeviceSpec& device)
{
    return std::max(Bytes(0), device.vmem - device.dma_tile * 4);
}

Placement place(const OpGraph& graph, Bytes vmem)
{
    const Lives lives(graph);
    Placement placement;
    Occupancy in_vmem(lives.positions());
    for (const Life& life : candidates_in_order(lives)) {
        if (in_vmem.peak_over(life) + life.bytes <= vmem) {
            in_vmem.take(life);
            placement.in_vmem.insert(life.name);
        }
    }
    placement.vmem_peak = in_vmem.peak();

    Occupancy in_hbm(lives.positions());
    for (const auto& [name, life] : lives.by_name()) {
        if (!placement.vmem(name)) {
            in_hbm.take(life);
        }
    }
    const std::size_t fullest = in_hbm.fullest();
    placement.hbm_peak = in_hbm.peak();
    for (const auto& [name, life] : lives.by_name()) {
        if (!placement.vmem(name) && life.first <= fullest && fullest <= life.last) {
            placement.hbm_parts[name.substr(0, name.find('.'))] += life.bytes;
        }
    }
    return placement;
}

} // namespace alxsim::model
