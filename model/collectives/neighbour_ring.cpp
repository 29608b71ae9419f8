// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/neighbour_ring.h"

#include "model/collectives/hop_distance.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace alxsim::model {
namespace {

/// Rings of more are not improved: that takes the square of their length each time round.
constexpr std::size_t most_improved = 512;
constexpr int most_rounds = 16;

class Ring {
public:
    Ring(std::vector<int> devices, HopDistance& distance, int devices_per_chip)
        : devices_(std::move(devices)),
          distance_(distance),
          devices_per_chip_(devices_per_chip)
    {
        std::sort(devices_.begin(), devices_.end());
    }

    void take_the_nearest()
    {
        for (auto last = devices_.begin(); last + 1 < devices_.end(); ++last) {
            const auto next = std::min_element(last + 1, devices_.end(), [&](int a, int b) {
                return hops(*last, a) < hops(*last, b);
            });
            std::rotate(last + 1, next, next + 1); // the others stay in ascending order
        }
    }

    void exchange_ways()
    {
        bool better = devices_.size() <= most_improved;
        for (int round = 0; better && round < most_rounds; ++round) {
            better = false;
            for (std::size_t i = 0; i + 2 < devices_.size(); ++i) {
                for (std::size_t j = i + 2; j < devices_.size(); ++j) {
                    better = exchange(i, j) || better;
                }
            }
        }
    }

    const std::vector<int>& devices() const { return devices_; }

private:
    int hops(int a, int b)
    {
        return distance_.between(a / devices_per_chip_, b / devices_per_chip_);
    }

    /// Goes from i to j and from the next of i to the next of j, if that is shorter than as it is.
    bool exchange(std::size_t i, std::size_t j)
    {
        const int a = devices_[i];
        const int b = devices_[i + 1];
        const int c = devices_[j];
        const int d = devices_[(j + 1) % devices_.size()];
        if (a == d || hops(a, c) + hops(b, d) >= hops(a, b) + hops(c, d)) {
            return false;
        }
        std::reverse(devices_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     devices_.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        return true;
    }

    std::vector<int> devices_;
    HopDistance& distance_;
    int devices_per_chip_;
};

} // namespace

std::vector<std::vector<int>> neighbour_rings(std::vector<std::vector<int>> groups,
                                              const topologies::Machine& machine)
{
    HopDistance distance(machine.slice);
    for (std::vector<int>& group : groups) {
        Ring ring(std::move(group), distance, machine.devices_per_chip);
        ring.take_the_nearest();
        ring.exchange_ways();
        group = ring.devices();
    }
    return groups;
}

} // namespace alxsim::model
