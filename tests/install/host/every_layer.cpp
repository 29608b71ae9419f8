// SPDX-License-Identifier: Apache-2.0
// Needs something of every layer of the installed library, and says which version it was made for.
#include <alxsim/base/version.h>
#include <alxsim/experiments/registration/workloads.h>

#include <iostream>

int main()
{
    std::cout << ALXSIM_VERSION_MAJOR << '.' << ALXSIM_VERSION_MINOR << '.' << ALXSIM_VERSION_PATCH;
    for (const alxsim::workloads::Kind& kind : alxsim::experiments::workload_kinds().kinds()) {
        std::cout << ' ' << kind.name;
    }
    std::cout << '\n';
}
