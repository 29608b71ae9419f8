// SPDX-License-Identifier: Apache-2.0
// A SystemC program that also simulates a slice: it has no main() of its own.
#include <alxsim/sim/simulator.h>
#include <alxsim/topologies/machine.h>

#include <cstdio>
#include <systemc>

int sc_main(int, char*[])
{
    using namespace alxsim;
    const topologies::Machine machine =
        topologies::make_machine(topologies::Preset::load("tpu_v3"), topologies::SliceRequest{});
    const sim::Simulator simulator(machine);
    std::puts("sc_main of the host");
    return 0;
}
