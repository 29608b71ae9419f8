// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/replaced.h"

#include "base/input_error.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// Whether a place is another one, or in it.
bool is_in(const std::string& place, const std::string& other)
{
    return place == other || place.rfind(other + "/", 0) == 0;
}

/// The place that a series, or its sweep, sets around `pointer`; "" for none.
std::string set_around(const std::string& pointer, const SeriesRequest& series,
                       const Sweep& of_study)
{
    for (const auto& [place, value] : series.set) {
        if (is_in(pointer, place)) {
            return place;
        }
    }
    for (const SweptValues& axis : series.sweep.value_or(of_study).axes) {
        for (const auto& [place, values] : axis) {
            if (is_in(pointer, place)) {
                return place;
            }
        }
    }
    return "";
}

/// "/a/b" as a key of a JSON pointer: "~1a~1b".
std::string as_key(const std::string& pointer)
{
    std::string key;
    for (const char letter : pointer) {
        key += letter == '/' ? "~1" : letter == '~' ? "~0" : std::string(1, letter);
    }
    return key;
}

/// A place around `pointer` that is set at each point; "" where one goes without.
std::string set_everywhere(const std::string& pointer, const Study& study)
{
    if (study.series.empty()) {
        return set_around(pointer, {}, study.sweep);
    }
    std::string place;
    for (const SeriesRequest& series : study.series) {
        place = set_around(pointer, series, study.sweep);
        if (place.empty()) {
            break;
        }
    }
    return place;
}

} // namespace

void refuse_replaced(const Study& study, const std::string& option, const std::string& setting)
{
    const std::size_t sign = setting.find('=');
    const std::string pointer = setting.substr(0, sign);
    const auto refuse = [&](const std::string& who, const std::string& place,
                            const std::string& allowed) {
        throw InputError(option, setting,
                         "would change nothing: " + who + " " + place +
                             " at each point; allowed: " + allowed);
    };
    const std::string place = set_everywhere(pointer, study);
    if (!place.empty() && study.series.empty()) {
        const std::string value = place == pointer ? setting.substr(sign + 1) : "...";
        refuse("the sweep sets", place,
               "--set '/sweep/" + as_key(place) + "=[" + value + "]', or /sweep={}");
    }
    if (!place.empty()) {
        refuse("each series, or its sweep, sets", place, "--set of that, in /series");
    }
    for (const auto& [searched, values] : study.search ? study.search->over : SweptValues()) {
        if (is_in(pointer, searched)) {
            refuse("the search chooses", searched,
                   "--set '/search/over/" + as_key(searched) + "=[...]'");
        }
    }
}

std::vector<std::string> replaced_notes(const Json& study, const Settings& sweep)
{
    static const std::string overrides = "/machine/overrides";
    const Json* const swept = sweep.find(overrides);
    const Json::json_pointer place(overrides);
    if (swept == nullptr || !study.contains(place) || !study.at(place).is_object()) {
        return {};
    }
    std::vector<std::string> lost;
    for (const auto& [key, value] : study.at(place).items()) {
        if (!swept->contains(key)) {
            lost.push_back(key);
        }
    }
    return lost.empty() ? lost
                        : std::vector<std::string>{
                              "the sweep sets " + overrides + " as a whole: " + join(lost) +
                              ", which the study sets there, is without effect at points whose "
                              "value does not have it"};
}

} // namespace alxsim::experiments
