// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/tables/factor_table.h"
#include "alx/tables/row_store.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// A row of the half, whose links name the rows of the fixed table that it needs.
struct GatheredRow {
    const std::int32_t* begin = nullptr; ///< its links
    const std::int32_t* end = nullptr;
    std::int64_t first = 0; ///< where its rows go in `gathered`, one behind the other

    std::int64_t links() const { return end - begin; }
};

/// The numbers of a gather: which rows come in which order, and what is summed up where.
///
/// The sum over devices of a row that one of them owns and zeros from all others is that row, bit
/// for bit. So a strategy that brings whole rows, by whatever collectives, copies them from their
/// owners' shards in the order of the links: what this class does.
class GatherNumbers {
public:
    virtual ~GatherNumbers() = default;

    /// Copies the row's rows of `fixed`. Returns where each part ends whose statistics are summed
    /// by themselves, counted from the row's first; nothing: all are summed in one go.
    virtual std::vector<std::int64_t> gather(const GatheredRow& row, const FactorTable& fixed,
                                             RowStore& gathered) const
    {
        std::int64_t target = row.first;
        for (const std::int32_t* id = row.begin; id != row.end; ++id) {
            gathered.copy(target++, fixed.store(), *id);
        }
        return {};
    }
};

} // namespace alxsim::alx
