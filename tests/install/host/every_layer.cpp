// SPDX-License-Identifier: Apache-2.0
// Needs something of every layer of the installed library, and says which version it was made for.
#include <alxsim/base/version.h>
#include <alxsim/program/registration/workloads.h>
#include <alxsim/workloads/registry.h>

#include <iostream>

int main()
{
    alxsim::program::add_workloads();
    std::cout << ALXSIM_VERSION_MAJOR << '.' << ALXSIM_VERSION_MINOR << '.' << ALXSIM_VERSION_PATCH;
    for (const alxsim::workloads::Kind& kind : alxsim::workloads::registry().kinds()) {
        std::cout << ' ' << kind.name;
    }
    std::cout << '\n';
}
