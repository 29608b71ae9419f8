// SPDX-License-Identifier: Apache-2.0
#include "program/program.h"
#include "workloads/registry.h"

namespace alxsim::testing {
workloads::Kind regression_kind();
} // namespace alxsim::testing

int main(int argc, char** argv)
{
    alxsim::workloads::registry().add(alxsim::testing::regression_kind());
    return alxsim::program::run_program(argc, argv);
}
