// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "base/units.h"
#include "topologies/slice.h"

#include <string>
#include <vector>

namespace alxsim::topologies {

struct Machine;

/// A link between neighbours, both directions of it, at a fraction of its bandwidth; 0: dead.
struct LinkFault {
    int chip =
        0; ///< at its lower end: the neighbour is at chip's coordinate + 1 (or past the wrap)
    int axis = 0;
    double bandwidth = 1;

    bool operator==(const LinkFault& other) const
    {
        return chip == other.chip && axis == other.axis && bandwidth == other.bandwidth;
    }
};

/// What is broken in a machine.
struct FaultPlan {
    std::vector<LinkFault> links;
    std::vector<double> device_speed; ///< per device, of its clock; empty: all 1
    std::vector<Bytes> device_hbm;    ///< usable, per device; empty: all as the preset says
    int count = 0;                    ///< as the study lists them

    double speed_of(int device) const
    {
        return device_speed.empty() ? 1.0 : device_speed[static_cast<std::size_t>(device)];
    }
};

/// Why no dimension-order route leads round the dead ones among `links`; "" when they all do. One
/// dead link turns a ring into a line; what was a line already, or is twisted, has no other way.
std::string problem_of_dead_links(const Slice& slice, const std::vector<LinkFault>& links);

/// Reads `machine.faults` of a study: entries {core, speed}, {link, bandwidth}, {chip, hbm_bytes}.
/// Where two cores act as one device, the device has the speed of the slower; the devices of a chip
/// share its HBM. Throws InputError naming `file`, the JSON pointer, what was found and what is
/// allowed: for what this machine does not have, for factors outside 0..1 (a speed of 0 too), for a
/// fault given twice, and for dead links that routes cannot go round.
FaultPlan read_faults(const Json& faults, const Machine& machine, const std::string& file);

} // namespace alxsim::topologies
