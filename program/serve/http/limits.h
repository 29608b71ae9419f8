// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace alxsim::program {

/// What a server gives to those who ask, known or not.
struct ServerLimits {
    std::size_t connections = 64; ///< at once; one more ends the oldest that still sends
    std::chrono::milliseconds request{10000}; ///< from the connection to the request's last byte
    std::chrono::milliseconds answer{10000};  ///< until all of the answer is taken
    std::chrono::milliseconds leave{1000};    ///< from then on, until the other side hangs up
    std::size_t answers = 8;                  ///< that are worked on at once
};

} // namespace alxsim::program
