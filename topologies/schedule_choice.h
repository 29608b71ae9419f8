// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::topologies {

/// Which algorithm collectives run: what the chip's compiler takes, or the fastest that is known.
enum class ScheduleChoice { xla, fastest };

} // namespace alxsim::topologies
