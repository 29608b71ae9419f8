// SPDX-License-Identifier: Apache-2.0
#include "spmd/collectives/moving_collective.h"

namespace alxsim::spmd {

model::Collective work_of(const MovingCollective& collective)
{
    model::Collective work;
    work.kind = collective.kind;
    work.bytes = model::size_of(collective.dtype) * collective.elements;
    work.group = collective.axes;
    work.mesh = collective.mesh;
    work.root = collective.root;
    work.dtype = collective.dtype;
    return work;
}

void moving::check_elements(const MovingCollective& collective, std::size_t found,
                            std::size_t expected)
{
    if (found != expected) {
        throw std::logic_error("a collective of " + std::to_string(collective.elements) +
                               " elements found an array of " + std::to_string(found) + " where " +
                               std::to_string(expected) + " belong");
    }
}

} // namespace alxsim::spmd
