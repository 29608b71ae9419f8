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

void Statistics::declare(const char* name, const char* description, std::int64_t count)
{
    add(name, description, StatisticUnit::count, count);
}

void Statistics::declare(const char* name, const char* description, Bytes bytes)
{
    add(name, description, StatisticUnit::bytes, bytes.count());
}

void Statistics::declare(const char* name, const char* description, Picoseconds time)
{
    add(name, description, StatisticUnit::picoseconds, time.count());
}

void Statistics::add(const char* name, const char* description, StatisticUnit unit,
                     std::int64_t value)
{
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const Statistic& statistic) {
        return same(statistic.name, name);
    });
    if (known == all_.end()) {
        all_.push_back({name, description, unit, value});
        return;
    }
    if (known->unit != unit || !same(known->description, description)) {
        throw std::logic_error(std::string("statistic '") + name + "' was declared as " +
                               known->description + " (" + name_of(known->unit) +
                               "), and again as " + description + " (" + name_of(unit) + ")");
    }
    known->value += value;
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
