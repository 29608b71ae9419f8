// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_builder.h"

#include <algorithm>

namespace alxsim::spmd {

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
