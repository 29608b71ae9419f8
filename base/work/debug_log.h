// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim {

/// Parts of the program that tell, for its developers, what they decide.
enum class DebugRoom {
    schedules, ///< which schedule each collective gets
    meshes,    ///< how a mesh is laid on the slice
    programs,  ///< graphs as they are compiled
    memo,      ///< iterations and steps that are not simulated again
    runs       ///< points as they are dealt, kept and taken over
};

/// Whether ALXSIM_DEBUG names the room: "schedules,memo", or "all". Throws InputError at the first
/// call if it names one that there is not.
bool debugs(DebugRoom room);

/// A line on standard error: "[schedules] words".
void write_debug_line(DebugRoom room, const std::string& words);

/// Writes words() if the room is asked for; else costs a load.
template <class Words>
void debug_log(DebugRoom room, const Words& words)
{
    if (debugs(room)) {
        write_debug_line(room, words());
    }
}

} // namespace alxsim
