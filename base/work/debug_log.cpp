// SPDX-License-Identifier: Apache-2.0
#include "base/work/debug_log.h"

#include "base/input_error.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace alxsim {
namespace {

const std::vector<std::string>& room_names()
{
    static const std::vector<std::string> names{"schedules", "meshes", "programs", "memo", "runs"};
    return names;
}

/// Bit by bit, the rooms of a list of names.
unsigned rooms_in(const char* given)
{
    unsigned rooms = 0;
    std::istringstream list(given == nullptr ? "" : given);
    for (std::string name; std::getline(list, name, ',');) {
        unsigned found = name == "all" ? ~0U : 0U;
        for (std::size_t room = 0; room < room_names().size(); ++room) {
            found |= name == room_names()[room] ? 1U << room : 0U;
        }
        if (found == 0) {
            throw InputError("", "ALXSIM_DEBUG",
                             "found '" + name + "'; allowed: all, " + join(room_names()) +
                                 did_you_mean(name, room_names()));
        }
        rooms |= found;
    }
    return rooms;
}

} // namespace

bool debugs(DebugRoom room)
{
    static const unsigned rooms = rooms_in(std::getenv("ALXSIM_DEBUG"));
    return (rooms >> static_cast<unsigned>(room) & 1U) != 0;
}

void write_debug_line(DebugRoom room, const std::string& words)
{
    const std::string line = "[" + room_names().at(static_cast<std::size_t>(room)) + "] " + words;
    std::fprintf(stderr, "%s\n", line.c_str());
}

} // namespace alxsim
