// SPDX-License-Identifier: Apache-2.0
#include "model/costs/device_use.h"

#include <algorithm>
#include <array>

namespace alxsim::model {

AxisUse& DeviceUse::along(int number)
{
    const auto place = static_cast<std::size_t>(number);
    if (place >= axes.size()) {
        axes.resize(place + 1);
    }
    return axes[place];
}

void DeviceUse::add_alone(int number, Picoseconds time)
{
    AxisUse& use = along(number);
    use.total += time;
    use.alone += time;
}

void DeviceUse::add_wait(LateMember late, Picoseconds time)
{
    if (late == LateMember::message) {
        bubble += time;
    } else if (late == LateMember::collective) {
        late_peer += time;
    }
}

void DeviceUse::add(const DeviceUse& more, std::int64_t times)
{
    add_between({}, more, times);
}

void DeviceUse::add_between(const DeviceUse& before, const DeviceUse& after, std::int64_t times)
{
    for (std::size_t i = 0; i < after.axes.size(); ++i) {
        const AxisUse first = i < before.axes.size() ? before.axes[i] : AxisUse();
        AxisUse& sum = along(static_cast<int>(i));
        sum.total += (after.axes[i].total - first.total) * times;
        sum.alone += (after.axes[i].alone - first.alone) * times;
    }
    bubble += (after.bubble - before.bubble) * times;
    late_peer += (after.late_peer - before.late_peer) * times;
}

void DeviceUse::take_most_of_axes(const DeviceUse& other)
{
    for (std::size_t i = 0; i < other.axes.size(); ++i) {
        AxisUse& most = along(static_cast<int>(i));
        most.total = std::max(most.total, other.axes[i].total);
        most.alone = std::max(most.alone, other.axes[i].alone);
    }
}

DeviceUse DeviceUse::mean_of(std::int64_t devices) const
{
    DeviceUse mean = *this;
    for (AxisUse& each : mean.axes) {
        each.total = Picoseconds(ceil_divide(each.total.count(), devices));
        each.alone = each.alone / devices;
    }
    mean.bubble = bubble / devices;
    mean.late_peer = late_peer / devices;
    return mean;
}

void DeviceUseMeter::add(const Span& span)
{
    if (span.end > std::max(span.begin, settled_)) {
        spans_.push_back(span);
    }
}

void DeviceUseMeter::worked(Picoseconds begin, Picoseconds end)
{
    add({begin, end, Kind::work, 0});
}

void DeviceUseMeter::communicated(int axes, LateMember late, Picoseconds begin, Picoseconds met,
                                  Picoseconds end)
{
    add({met, end, Kind::moving, axes});
    if (late != LateMember::nobody) {
        add({begin, met,
             late == LateMember::message ? Kind::waits_for_message : Kind::waits_for_member, 0});
    }
}

/// Goes through the edges in the order of time.
class DeviceUseMeter::Sweep {
public:
    explicit Sweep(DeviceUse& use) : use_(use) {}

    void pass(Picoseconds time)
    {
        for (std::size_t axes = 0; axes < moving_.size(); ++axes) {
            if (moving_[axes] > 0) {
                AxisUse& along = use_.along(static_cast<int>(axes));
                along.total += time;
                along.alone += of(Kind::work) > 0 ? Picoseconds(0) : time;
            }
        }
        if (of(Kind::work) > 0 || of(Kind::moving) > 0) {
            return;
        }
        if (of(Kind::waits_for_message) > 0) {
            use_.bubble += time;
        } else if (of(Kind::waits_for_member) > 0) {
            use_.late_peer += time;
        }
    }
    void change(const Edge& edge)
    {
        of(edge.kind) += edge.change;
        if (edge.kind == Kind::moving) {
            const auto axes = static_cast<std::size_t>(edge.axes);
            moving_.resize(std::max(moving_.size(), axes + 1));
            moving_[axes] += edge.change;
        }
    }

private:
    int& of(Kind kind) { return under_way_[static_cast<std::size_t>(kind)]; }

    DeviceUse& use_;
    std::array<int, 4> under_way_{}; ///< [kind]
    std::vector<int> moving_;        ///< [axes]
};

void DeviceUseMeter::settle(Picoseconds until, DeviceUse& use)
{
    edges_.clear();
    for (const Span& span : spans_) {
        const Picoseconds begin = std::max(span.begin, settled_);
        const Picoseconds end = std::min(span.end, until);
        if (begin < end) {
            edges_.push_back({begin, 1, span.kind, span.axes});
            edges_.push_back({end, -1, span.kind, span.axes});
        }
    }
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return a.time < b.time; });
    Sweep sweep(use);
    Picoseconds before = settled_;
    for (const Edge& edge : edges_) {
        if (edge.time > before) {
            sweep.pass(edge.time - before);
            before = edge.time;
        }
        sweep.change(edge);
    }
    spans_.erase(std::remove_if(spans_.begin(), spans_.end(),
                                [&](const Span& span) { return span.end <= until; }),
                 spans_.end());
    settled_ = std::max(settled_, until);
}

} // namespace alxsim::model
