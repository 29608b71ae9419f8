// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::sim {

enum class StatisticUnit { count, bytes, picoseconds };
const char* name_of(StatisticUnit unit);

/// Part of the slice of which something was counted.
enum class Owner { slice, chip, device };
const char* name_of(Owner owner);

struct OwnedBy {
    Owner owner = Owner::slice;
    int index = 0; ///< of the chip or device
};

/// What a simulation has counted over all modules of a kind.
struct Statistic {
    const char* name = ""; ///< as a report has it
    const char* description = "";
    StatisticUnit unit = StatisticUnit::count;
    std::int64_t value = 0; ///< over all owners
    Owner owner = Owner::slice;
    std::vector<std::int64_t> of_each; ///< chip or device; empty: it is the slice's
};

/// The statistics of a simulation, in the order in which they were first declared.
class Statistics {
public:
    /// What modules declare under one name adds up. Throws std::logic_error where they mean
    /// different things by it. Names and descriptions are literals: they are kept as they are.
    void declare(const char* name, const char* description, std::int64_t count, OwnedBy by = {});
    void declare(const char* name, const char* description, Bytes bytes, OwnedBy by = {});
    void declare(const char* name, const char* description, Picoseconds time, OwnedBy by = {});

    const std::vector<Statistic>& all() const { return all_; }
    /// Throws std::out_of_range if nobody has declared `name`.
    const Statistic& at(const std::string& name) const;
    std::int64_t value(const std::string& name) const { return at(name).value; }

private:
    /// `meant` has no value yet.
    void add(const Statistic& meant, std::int64_t value, int index);

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
