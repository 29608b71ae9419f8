// SPDX-License-Identifier: Apache-2.0
#include "spmd/collectives/hop_sum.h"

#include "base/input_error.h"
#include "model/collectives/device_grid.h"
#include "model/collectives/phase_plan.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace alxsim::spmd {
namespace {

[[noreturn]] void refuse(const model::CollectiveSchedule& schedule, const std::string& reason)
{
    throw InputError("", "",
                     "the sum at every hop of '" + schedule.name + "' is not known: " + reason);
}

std::vector<model::AxisPhase> reductions_of(const model::Colour& colour,
                                            const model::CollectiveSchedule& schedule)
{
    std::vector<model::AxisPhase> reductions;
    for (const model::AxisPhase& phase : colour.phases) {
        if (phase.members > 0) {
            refuse(schedule, "its torus is twisted");
        }
        if (phase.exchange == model::Exchange::reduce) {
            reductions.push_back(phase);
        } else if (phase.exchange != model::Exchange::gather) {
            refuse(schedule, "its sums travel otherwise than along rings");
        }
    }
    return reductions;
}

} // namespace

int HopSum::Ring::from_below(int owner, bool first_half) const
{
    if (!closed) {
        return owner;
    }
    const int both_ways = first_half ? length / 2 : (length - 1) / 2;
    return !up ? 0 : down ? both_ways : length - 1;
}

int HopSum::Ring::from_above(int owner, bool first_half) const
{
    return closed ? length - 1 - from_below(owner, first_half) : length - 1 - owner;
}

HopSum::HopSum(const model::CollectiveSchedule& schedule, const topologies::Machine& machine,
               std::size_t elements)
{
    place_devices(schedule, machine);
    const int colours = schedule.colours_of_first_part();
    std::int64_t all = 0;
    for (int colour = 0; colour < colours; ++colour) {
        Part part;
        const model::Colour& travels = schedule.colours[static_cast<std::size_t>(colour)];
        for (const model::AxisPhase& phase : reductions_of(travels, schedule)) {
            const model::NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
            const model::PhaseSteps steps(phase, axis);
            part.rings.push_back({phase.axis, axis.length, steps.ring, steps.uses(model::up),
                                  steps.uses(model::down)});
        }
        // A colour's share of the array is in proportion to what a device has of it in the end.
        all += travels.phases[std::max<std::size_t>(1, part.rings.size()) - 1].shard.count();
        part.end = static_cast<std::size_t>(all);
        parts_.push_back(std::move(part));
    }
    std::size_t begin = 0;
    for (Part& part : parts_) {
        part.begin = std::exchange(begin, elements * part.end / static_cast<std::size_t>(all));
        part.end = begin;
    }
}

void HopSum::place_devices(const model::CollectiveSchedule& schedule,
                           const topologies::Machine& machine)
{
    const model::DeviceGrid chips(machine);
    const model::DeviceGrid grid = schedule.ranks ? model::DeviceGrid(schedule, chips) : chips;
    std::size_t places = 1;
    for (const model::NetworkAxis& axis : grid.axes()) {
        strides_.push_back(places);
        places *= static_cast<std::size_t>(axis.length);
    }
    const bool all_axes = schedule.ranks || schedule.group.size() == grid.axes().size();
    if (schedule.colours.empty() || !all_axes ||
        places != static_cast<std::size_t>(machine.devices)) {
        refuse(schedule, "it does not join all devices along axes");
    }
    device_at_.assign(places, -1);
    for (int device = 0; device < machine.devices; ++device) {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < strides_.size(); ++axis) {
            place += strides_[axis] *
                     static_cast<std::size_t>(grid.position(static_cast<int>(axis), device));
        }
        device_at_[place] = device;
    }
}

/// One sum of all devices' arrays.
class HopSum::Summation {
public:
    Summation(const HopSum& sum, const Part& part, const Arrays& arrays, std::vector<Bf16>& result)
        : sum_(sum),
          rings_(part.rings),
          arrays_(arrays),
          result_(result),
          positions_(sum.strides_.size()),
          first_half_(rings_.size())
    {
        if (rings_.empty()) {
            add_at_once(part.begin, part.end);
        } else {
            share_out(0, part.begin, part.end);
        }
    }

private:
    void add_at_once(std::size_t begin, std::size_t end)
    {
        for (std::size_t i = begin; i < end; ++i) {
            float all = 0;
            for (const std::vector<Bf16>& array : arrays_) {
                all += to_float(array[i]);
            }
            result_[i] = to_bf16(all);
        }
    }

    /// Gives each member of a ring its share of the elements, whose sums end there.
    void share_out(std::size_t ring, std::size_t begin, std::size_t end)
    {
        if (begin == end) {
            return;
        }
        if (ring == rings_.size()) {
            std::vector<float> sum(end - begin);
            add_up(ring, begin, end, sum);
            std::transform(sum.begin(), sum.end(),
                           result_.begin() + static_cast<std::ptrdiff_t>(begin), to_bf16);
            return;
        }
        const auto length = static_cast<std::size_t>(rings_[ring].length);
        const std::size_t elements = end - begin;
        for (std::size_t owner = 0; owner < length; ++owner) {
            position_of(ring) = static_cast<int>(owner);
            const std::size_t first = begin + elements * owner / length;
            const std::size_t last = begin + elements * (owner + 1) / length;
            const std::size_t middle = rings_[ring].splits() ? (first + last) / 2 : last;
            first_half_[ring] = true;
            share_out(ring + 1, first, middle);
            first_half_[ring] = false;
            share_out(ring + 1, middle, last);
        }
    }

    /// What a device has of elements [begin, end) after so many rings.
    void add_up(std::size_t rings, std::size_t begin, std::size_t end, std::vector<float>& sum)
    {
        if (rings == 0) {
            const auto from = arrays_[device()].begin();
            std::transform(from + static_cast<std::ptrdiff_t>(begin),
                           from + static_cast<std::ptrdiff_t>(end), sum.begin(), to_float);
            return;
        }
        const std::size_t ring = rings - 1;
        const int owner = position_of(ring);
        add_up(ring, begin, end, sum);
        add_chain(ring, owner, -rings_[ring].from_below(owner, first_half_[ring]), begin, end, sum);
        add_chain(ring, owner, rings_[ring].from_above(owner, first_half_[ring]), begin, end, sum);
        position_of(ring) = owner;
    }

    /// Adds what comes to `owner` from the member that is `hops` above it (below: negative), each
    /// on the way having added its own.
    void add_chain(std::size_t ring, int owner, int hops, std::size_t begin, std::size_t end,
                   std::vector<float>& sum)
    {
        if (hops == 0) {
            return;
        }
        const int length = rings_[ring].length;
        const int towards_owner = hops > 0 ? -1 : 1;
        std::vector<float> so_far(end - begin);
        std::vector<float> own(end - begin);
        for (int away = hops; away != 0; away += towards_owner) {
            position_of(ring) = (owner + away + length) % length;
            add_up(ring, begin, end, away == hops ? so_far : own);
            if (away != hops) {
                add_rounded(own, so_far);
            }
        }
        add_rounded(so_far, sum);
    }

    static void add_rounded(const std::vector<float>& from, std::vector<float>& sum)
    {
        std::transform(sum.begin(), sum.end(), from.begin(), sum.begin(),
                       [](float a, float b) { return to_float(to_bf16(a + b)); });
    }

    int& position_of(std::size_t ring)
    {
        return positions_[static_cast<std::size_t>(rings_[ring].axis)];
    }

    std::size_t device() const
    {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < positions_.size(); ++axis) {
            place += sum_.strides_[axis] * static_cast<std::size_t>(positions_[axis]);
        }
        return static_cast<std::size_t>(sum_.device_at_[place]);
    }

    const HopSum& sum_;
    const std::vector<Ring>& rings_;
    const Arrays& arrays_;
    std::vector<Bf16>& result_;
    std::vector<int> positions_;   ///< [axis]
    std::vector<bool> first_half_; ///< [ring]: of the owner's elements
};

std::vector<Bf16> HopSum::operator()(const Arrays& arrays) const
{
    std::vector<Bf16> result(parts_.back().end);
    for (const Part& part : parts_) {
        Summation(*this, part, arrays, result);
    }
    return result;
}

} // namespace alxsim::spmd
