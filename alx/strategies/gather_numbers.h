// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/shard_map.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// The numbers of a gather: which rows come in which order, and what is summed up where.
///
/// The sum over devices of a row that one of them owns and zeros from all others is that row, bit
/// for bit. So a strategy that brings whole rows, by whatever collectives, brings those of the
/// fixed table in the order of the links: what this class does. The host reads them where they
/// stand.
class GatherNumbers {
public:
    virtual ~GatherNumbers() = default;

    /// `ids` are a row's links, ascending: puts them into the order in which their rows are summed.
    /// Returns where each part ends whose statistics are summed by themselves; nothing: all are
    /// summed in one go.
    virtual std::vector<std::int64_t> order(std::vector<std::int32_t>& /*ids*/,
                                            const ShardMap& /*fixed*/) const
    {
        return {};
    }
};

} // namespace alxsim::alx
