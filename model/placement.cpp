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

/// How much of a memory is taken at each op.
class Occupancy {
public:
    explicit Occupancy(std::size_t positions) : taken_(std::max<std::size_t>(positions, 1)) {}

    Bytes peak_over(const Life& life) const
    {
        return *std::max_element(taken_.begin() + static_cast<std::ptrdiff_t>(life.first),
                                 taken_.begin() + static_cast<std::ptrdiff_t>(life.last) + 1);
    }
    void take(const Life& life)
    {
        for (std::size_t i = life.first; i <= life.last; ++i) {
            taken_[i] += life.bytes;
        }
    }
    std::size_t fullest() const
    {
        return static_cast<std::size_t>(std::max_element(taken_.begin(), taken_.end()) -
                                        taken_.begin());
    }
    Bytes at(std::size_t position) const { return taken_[position]; }

private:
    std::vector<Bytes> taken_;
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
    placement.vmem_peak = in_vmem.at(in_vmem.fullest());

    Occupancy in_hbm(lives.positions());
    for (const auto& [name, life] : lives.by_name()) {
        if (!placement.vmem(name)) {
            in_hbm.take(life);
        }
    }
    const std::size_t fullest = in_hbm.fullest();
    placement.hbm_peak = in_hbm.at(fullest);
    for (const auto& [name, life] : lives.by_name()) {
        if (!placement.vmem(name) && life.first <= fullest && fullest <= life.last) {
            placement.hbm_parts[name.substr(0, name.find('.'))] += life.bytes;
        }
    }
    return placement;
}

} // namespace alxsim::model
