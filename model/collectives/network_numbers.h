// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace alxsim::topologies {
struct NetworkSpec;
} // namespace alxsim::topologies

namespace alxsim::model {

/// A network's numbers as bits: all by which messages take their time, none of what overlaps them.
using NetworkNumbers = std::array<std::int64_t, 13>;

/// For keys of what is remembered of collectives: on networks with the same numbers, messages that
/// go the same ways take the same time.
NetworkNumbers network_numbers(const topologies::NetworkSpec& network);

} // namespace alxsim::model
