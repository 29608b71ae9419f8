// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace alxsim {

/// What a span of a device's time is spent on.
enum class Share { compute, hbm, communication, host, waiting, idle };
constexpr std::size_t share_count = 6;
constexpr std::array<Share, share_count> all_shares{
    Share::compute, Share::hbm, Share::communication, Share::host, Share::waiting, Share::idle};

constexpr const char* name_of(Share share)
{
    constexpr std::array<const char*, share_count> names{"compute", "hbm",     "communication",
                                                         "host",    "waiting", "idle"};
    return names[static_cast<std::size_t>(share)];
}

} // namespace alxsim
