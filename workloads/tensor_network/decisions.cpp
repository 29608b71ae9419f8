// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/decisions.h"

#include <stdexcept>

namespace alxsim::tensor_network {

std::int64_t Decisions::next(const std::function<std::int64_t()>& find)
{
    if (given_ && taken_.size() >= given_->size()) {
        throw std::logic_error("a step of a tensor network asks for more than was decided");
    }
    taken_.push_back(given_ ? (*given_)[taken_.size()] : find());
    return taken_.back();
}

} // namespace alxsim::tensor_network
