// SPDX-License-Identifier: Apache-2.0
#include "base/work/stop.h"
#include "program/program.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

int main(int argc, char** argv)
{
    const int code = alxsim::program::run_program(argc, argv);
    if (alxsim::work_is_left_running()) { // it uses what leaving main() would destroy
        std::cout.flush();
        std::fflush(nullptr);
        std::_Exit(code);
    }
    return code;
}
