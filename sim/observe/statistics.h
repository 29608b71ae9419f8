// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::sim {

enum class StatisticUnit { count, bytes, picoseconds };
const char* name_of(StatisticUnit unit);

/// What a simulation has counted over all modules of a kind.
struct Statistic {
    const char* name = ""; ///< as a report has it
    const char* description = "";
    StatisticUnit unit = StatisticUnit::count;
    std::int64_t value = 0;
};

/// The statistics of a simulation, in the order in which they were first declared.
class Statistics {
public:
    /// What modules declare under one name adds up. Throws std::logic_error where they mean
    /// different things by it. Names and descriptions are literals: they are kept as they are.
    void declare(const char* name, const char* description, std::int64_t count);
    void declare(const char* name, const char* description, Bytes bytes);
    void declare(const char* name, const char* description, Picoseconds time);

    const std::vector<Statistic>& all() const { return all_; }
    /// Throws std::out_of_range if nobody has declared `name`.
    const Statistic& at(const std::string& name) const;
    std::int64_t value(const std::string& name) const { return at(name).value; }

private:
    void add(const char* name, const char* description, StatisticUnit unit, std::int64_t value);

    std::vector<Statistic> all_;
};

/// What has statistics, or contains what has. It counts in members of its own; they are declared,
/// with the values that they have come to, when the simulation is over.
class StatisticsSource {
public:
    virtual ~StatisticsSource() = default;
    virtual void declare_statistics(Statistics& statistics) const = 0;
};

} // namespace alxsim::sim
