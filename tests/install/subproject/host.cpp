// SPDX-License-Identifier: Apache-2.0
#include <alxsim/topologies/preset.h>

#include <iostream>

int main()
{
    std::cout << alxsim::topologies::Preset::load("tpu_v3").title() << "\n";
}
