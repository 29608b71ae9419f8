// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/program.h"

int main(int argc, char** argv)
{
    return alxsim::experiments::run_program(argc, argv);
}
