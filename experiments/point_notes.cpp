// SPDX-License-Identifier: Apache-2.0
#include "experiments/point_notes.h"

#include "topologies/override_notes.h"

#include <set>

namespace alxsim::experiments {

std::vector<std::string> notes_of(const topologies::Machine& machine)
{
    return topologies::override_notes(machine);
}

std::string notes_in_lines(const std::vector<Json>& points)
{
    std::string lines;
    std::set<std::string> told;
    for (const Json& point : points) {
        for (const Json& note : point.value("notes", Json::array())) {
            if (told.insert(note.get<std::string>()).second) {
                lines += "note: " + note.get<std::string>() + "\n";
            }
        }
    }
    return lines;
}

} // namespace alxsim::experiments
