// SPDX-License-Identifier: Apache-2.0
#include "report/page/colours.h"

#include "base/json_document.h"
#include "report/resources.h"

#include <algorithm>

namespace alxsim::report {
namespace {

const Json& colours()
{
    static const Json all = parse_json(resources().get("page/colours.json"), "colours.json");
    return all;
}

/// As page/colours.js has it.
std::size_t first_further(const std::string& name, std::size_t count)
{
    std::size_t sum = 7;
    for (const char letter : name) {
        sum = (sum * 31 + static_cast<unsigned char>(letter)) % 9973;
    }
    return sum % count;
}

} // namespace

std::string colours_script()
{
    return "const colours = " + colours().dump() + ";\n" +
           std::string(resources().get("page/colours.js"));
}

std::string colour_of_phase(const std::string& name, const std::vector<std::string>& taken)
{
    const Json& phases = colours().at("phases");
    if (phases.contains(name)) {
        return phases.at(name).get<std::string>();
    }
    const auto further = colours().at("further").get<std::vector<std::string>>();
    const std::size_t first = first_further(name, further.size());
    for (std::size_t i = 0; i < further.size(); ++i) {
        const std::string& colour = further[(first + i) % further.size()];
        if (std::find(taken.begin(), taken.end(), colour) == taken.end()) {
            return colour;
        }
    }
    return further[first];
}

std::string colour_of_resource(const std::string& name)
{
    return colours().at("resources").at(name).get<std::string>();
}

} // namespace alxsim::report
