// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::model {

/// Numbers by which the TPU compiler chooses an algorithm; collective_rules.json says what each is.
enum class CollectiveFact {
    axes,
    cores,
    whole_chips,
    devices,
    equal_axes,
    alike,
    doubled_axes,
    leading_ring,
    longest_ring,
    closed,
    slice_devices,
    several_slices,
    bytes,
    shard_bytes,
    shard_elements,
    element_bytes,
    whole_lanes,
    whole_lanes_across,
    whole_tiles,
    padding_percent,
    padding_percent_of_two,
};
constexpr std::size_t collective_facts = 21;

/// By its name in collective_rules.json. Throws std::out_of_range.
CollectiveFact collective_fact(const std::string& name);

/// A collective as the compiler's rules look at it.
struct CollectiveFacts {
    std::string chip; ///< "v5e"
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::string group;        ///< slices, chip_cores, axis, axes or all
    std::vector<int> spanned; ///< axes of more than one chip, indices into network_axes(), in XLA's
                              ///< order y, x, z; y and z alone: z, y
    std::vector<int> lengths; ///< [spanned]
    std::array<std::int64_t, collective_facts> numbers{};

    std::int64_t& at(CollectiveFact fact) { return numbers[static_cast<std::size_t>(fact)]; }
    std::int64_t at(CollectiveFact fact) const { return numbers[static_cast<std::size_t>(fact)]; }
};

/// `span_limit`: see reduce_scatter_span_bytes in collective_rules.json.
CollectiveFacts facts_of(const Collective& collective, const CollectiveGroup& group,
                         const topologies::Machine& machine, Bytes span_limit);

/// Sets what follows from the bytes, when what follows from the axes is known. `element`: bytes of
/// a number; `slices`: of the machine.
void set_sizes(std::int64_t bytes, std::int64_t element, std::int64_t slices, Bytes span_limit,
               CollectiveFacts& facts);

/// Sets what follows from the order of `spanned`.
void order_axes(const CollectiveGroup& group, CollectiveFacts& facts);

/// The axes of the most frequent length first, otherwise in the order in which they stand.
std::vector<int> alike_first(const std::vector<int>& axes, const std::vector<int>& lengths);

} // namespace alxsim::model
