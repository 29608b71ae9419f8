// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/transfer_problem.h"

#include "base/input_error.h"

#include <stdexcept>

namespace alxsim::offload {

TransferProblem TransferProblem::of_current_exception()
{
    TransferProblem problem;
    try {
        throw;
    } catch (const InputError& error) {
        problem.kind_ = Kind::of_input;
        problem.file_ = error.file();
        problem.place_ = error.place();
        problem.words_ = error.problem();
    } catch (const std::exception& error) {
        problem.kind_ = Kind::of_system;
        problem.words_ = error.what();
    }
    return problem;
}

void TransferProblem::raise() const
{
    switch (kind_) {
    case Kind::none:
        return;
    case Kind::of_input:
        throw InputError(file_, place_, words_);
    case Kind::of_system:
        throw std::runtime_error(words_);
    }
}

} // namespace alxsim::offload
