// SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include "base/input_error.h"

#include <algorithm>

namespace alxsim {
namespace {

constexpr int deepest_pointer = 64; ///< a study has some eight
constexpr std::size_t longest_pointer_shown = 40;

} // namespace

Settings::Settings(std::initializer_list<Entry> entries)
{
    for (const Entry& entry : entries) {
        set(entry.first, entry.second);
    }
}

Settings Settings::of(const Json& object)
{
    Settings settings;
    for (const auto& [pointer, value] : object.items()) {
        settings.entries_.emplace_back(pointer, value);
    }
    return settings;
}

void Settings::set(const std::string& pointer, Json value)
{
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& one) { return one.first == pointer; });
    if (found == entries_.end()) {
        entries_.emplace_back(pointer, std::move(value));
    } else {
        found->second = std::move(value);
    }
}

void Settings::set(const Settings& others)
{
    for (const auto& [pointer, value] : others) {
        set(pointer, value);
    }
}

bool Settings::erase(const std::string& pointer)
{
    const auto rest = std::remove_if(entries_.begin(), entries_.end(),
                                     [&](const Entry& one) { return one.first == pointer; });
    const bool erased = rest != entries_.end();
    entries_.erase(rest, entries_.end());
    return erased;
}

const Json* Settings::find(const std::string& pointer) const
{
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& one) { return one.first == pointer; });
    return found == entries_.end() ? nullptr : &found->second;
}

Json Settings::to_json() const
{
    Json object = Json::object();
    for (const auto& [pointer, value] : entries_) {
        object[pointer] = value;
    }
    return object;
}

void Settings::apply_to(Json& document, const std::string& file) const
{
    for (const auto& [pointer, value] : entries_) {
        if (std::count(pointer.begin(), pointer.end(), '/') > deepest_pointer) {
            throw InputError(file, pointer.substr(0, longest_pointer_shown) + "...",
                             "leads deeper than " + std::to_string(deepest_pointer) +
                                 " objects and lists, the most allowed");
        }
        if (pointer.empty()) {
            throw InputError(file, "\"\"",
                             "is the whole of it; allowed: a place in it, like /machine/cores");
        }
        try {
            document[Json::json_pointer(pointer)] = value;
        } catch (const Json::exception&) {
            throw InputError(file, pointer, "is no JSON pointer into a study, like /machine/cores");
        }
    }
}

} // namespace alxsim
