// SPDX-License-Identifier: Apache-2.0
#include "jacobi.h"

#include <alxsim/program/program.h>
#include <alxsim/workloads/registry.h>

int main(int argc, char** argv)
{
    alxsim::workloads::registry().add(jacobi_kind());
    return alxsim::program::run_program(argc, argv);
}
