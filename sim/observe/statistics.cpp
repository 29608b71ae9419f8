// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/statistics.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace alxsim::sim {
namespace {

/// Modules of a kind declare from one place: mostly it is the same literal.
bool same(const char* one, const char* other)
{
    return one == other || std::strcmp(one, other) == 0;
}

std::string told(const Statistic& statistic)
{
    return std::string(statistic.description) + " (" + name_of(statistic.unit) + " of a " +
           name_of(statistic.owner) + ")";
}

} // namespace

const char* name_of(StatisticUnit unit)
{
    switch (unit) {
    case StatisticUnit::count:
        return "count";
    case StatisticUnit::bytes:
        return "bytes";
    case StatisticUnit::picoseconds:
        return "picoseconds";
    }
    return "?";
}

const char* name_of(Owner owner)
{
    return owner == Owner::device ? "device" : owner == Owner::chip ? "chip" : "slice";
}

void Statistics::declare(const char* name, const char* description, std::int64_t count, OwnedBy by)
{
    add({name, description, StatisticUnit::count, 0, by.owner, {}}, count, by.index);
}

void Statistics::declare(const char* name, const char* description, Bytes bytes, OwnedBy by)
{
    add({name, description, StatisticUnit::bytes, 0, by.owner, {}}, bytes.count(), by.index);
}

void Statistics::declare(const char* name, const char* description, Picoseconds time, OwnedBy by)
{
    add({name, description, StatisticUnit::picoseconds, 0, by.owner, {}}, time.count(), by.index);
}

void Statistics::add(const Statistic& meant, std::int64_t value, int index)
{
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const Statistic& statistic) {
        return same(statistic.name, meant.name);
    });
    Statistic& statistic = known == all_.end() ? all_.emplace_back(meant) : *known;
    if (statistic.unit != meant.unit || statistic.owner != meant.owner ||
        !same(statistic.description, meant.description)) {
        throw std::logic_error(std::string("statistic '") + meant.name + "' was declared as " +
                               told(statistic) + ", and again as " + told(meant));
    }
    statistic.value += value;
    if (meant.owner != Owner::slice) {
        const auto place = static_cast<std::size_t>(index);
        statistic.of_each.resize(std::max(statistic.of_each.size(), place + 1));
        statistic.of_each[place] += value;
    }
}

const Statistic& Statistics::at(const std::string& name) const
{
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const Statistic& statistic) {
        return statistic.name == name;
    });
    if (known == all_.end()) {
        throw std::out_of_range("no module has declared a statistic '" + name + "'");
    }
    return *known;
}

} // namespace alxsim::sim
