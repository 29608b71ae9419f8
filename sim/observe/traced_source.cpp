// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/traced_source.h"

#include <algorithm>

namespace alxsim::sim {

std::optional<model::Step> TracedSource::next()
{
    std::optional<model::Step> step = source_.next();
    if (step) {
        epoch_ = epoch_.value_or(step->epoch);
        in_first_epoch_ = step->epoch == *epoch_;
        trace_.hand_out(in_first_epoch_ ? ++number_ : 0);
    }
    return step;
}

std::int64_t TracedSource::again() const
{
    const std::int64_t again = source_.again();
    if (!in_first_epoch_ || again == 0) {
        return again;
    }
    switch (steps_.which) {
    case TracedSteps::Which::last: // of equal steps, too: it is run by itself
        return again - 1;
    case TracedSteps::Which::range:
        return number_ > steps_.to     ? again
               : number_ < steps_.from ? std::min(again, steps_.from - 1 - number_)
                                       : 0;
    case TracedSteps::Which::first: // never left out
    case TracedSteps::Which::worst: // what is left out takes as long as what ran before
        break;
    }
    return again;
}

void TracedSource::leave_out(std::int64_t steps)
{
    number_ += steps;
    source_.leave_out(steps);
}

} // namespace alxsim::sim
