// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"
#include "workloads/import/hlo/trip_count.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::hlo {

/// What XLA's own cost analysis counts (HloCostAnalysis, xla/service/hlo_cost_analysis.cc).
struct XlaCost {
    std::int64_t flops = 0; ///< two a multiplication of a product, one an element of other ops
    std::int64_t matmul_flops = 0;    ///< of them those of dots and convolutions
    std::int64_t transcendentals = 0; ///< not among flops
    std::int64_t bytes = 0; ///< read and written without padding, whatever memory they are in
};

/// Branches that are taken, by the names of conditionals, with or without "%": numbers from 0.
using GivenBranches = std::map<std::string, std::int64_t>;

/// Costs of a module's computations, with bodies of loops once, as XLA counts them, and as often as
/// they run; a loop whose trips nobody knows counts once. Of a conditional: once as the dearest of
/// its branches in each figure, with trips the branch that is chosen: as given, else the one with
/// most flops, of these the one with most bytes.
class XlaCosts {
public:
    /// Throws InputError for products that do not fit their operands, and for given branches that
    /// are no branches.
    XlaCosts(const Module& module, const std::vector<TripCount>& trips,
             const GivenBranches& branches = {});

    const XlaCost& once(int computation) const
    {
        return once_[static_cast<std::size_t>(computation)];
    }
    const XlaCost& with_trips(int computation) const
    {
        return with_trips_[static_cast<std::size_t>(computation)];
    }
    /// Returns the cost of one instruction, what it calls once.
    XlaCost of(const Computation& computation, const Instruction& instruction) const;
    /// Which of its called computations a conditional takes.
    std::size_t branch_of(const Instruction& conditional) const;
    bool is_given(const Instruction& conditional) const;
    std::int64_t trips_of(const Instruction& loop) const; ///< 1 where nobody knows

private:
    void add(int index);
    XlaCost of_calls(const Instruction& instruction, bool trips) const;
    std::int64_t flops_of(const Computation& computation, const Instruction& instruction) const;
    std::int64_t bytes_of(const Computation& computation, const Instruction& instruction) const;
    std::int64_t fusion_bytes(const Instruction& fusion) const;
    std::vector<std::int64_t> parameter_reads(const Computation& fused) const;
    std::int64_t bytes_read(const Computation& fused, const Instruction& user,
                            std::size_t operand) const;
    std::int64_t result_writes(const Computation& fused, const Instruction& result) const;

    const Module& module_;
    std::map<const Instruction*, std::int64_t> trips_;
    std::map<std::string, std::int64_t> branches_; ///< without "%"
    std::vector<XlaCost> once_, with_trips_;       ///< by computation
    std::vector<std::vector<std::int64_t>> reads_; ///< by computation and parameter
};

} // namespace alxsim::hlo
