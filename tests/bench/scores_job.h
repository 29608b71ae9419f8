// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::alx {

/// The best 50 of the columns for each query.
struct ScoresJob {
    std::int64_t columns = 100'000;
    std::int64_t queries = 1'024;
    int top = 50;
};

} // namespace alxsim::alx
