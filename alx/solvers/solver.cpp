// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"

namespace alxsim::alx {

std::unique_ptr<const Solver> make_cg_solver();
std::unique_ptr<const Solver> make_cholesky_solver();
std::unique_ptr<const Solver> make_lu_solver();
std::unique_ptr<const Solver> make_qr_solver();

const Registry<Solver>& solvers()
{
    static const Registry<Solver> registry("/workload/alx/solver",
                                           {{"cg", make_cg_solver},
                                            {"cholesky", make_cholesky_solver},
                                            {"lu", make_lu_solver},
                                            {"qr", make_qr_solver}});
    return registry;
}

} // namespace alxsim::alx
