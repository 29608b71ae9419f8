// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <systemc>

namespace alxsim::sim {

/// The SystemC clock's resolution is its default, one picosecond.
inline Picoseconds now()
{
    return Picoseconds(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
}

inline sc_core::sc_time to_sc_time(Picoseconds time)
{
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.count()));
}

/// Notifies `event` at the absolute time `at` (now at the earliest), unless it already comes
/// sooner.
inline void notify_at(sc_core::sc_event& event, Picoseconds at)
{
    const Picoseconds delay = at > now() ? at - now() : Picoseconds(0);
    event.notify(to_sc_time(delay));
}

} // namespace alxsim::sim
