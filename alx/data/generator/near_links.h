// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/matrix_statistics.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Links near their rows, of all that rows have.
struct NearBounds {
    double least = 0;
    double most = 0;

    /// A little beyond is rounding.
    bool hold(double links) const { return links >= least * 0.9999 && links <= most * 1.0001; }
};

/// Returns bounds for rows that have these lengths in whatever order: most where the longest have
/// the most room nearby, least where they have the least.
NearBounds near_bounds(std::vector<std::int64_t> lengths, const Neighbourhood& near);

/// How many of a row's links are near: a share of them, as many as fit; the share is such that they
/// add up to what is wanted, or to what comes next to it for rows in this order.
class NearLinks {
public:
    /// The referenced objects outlive it.
    NearLinks(double wanted, const std::vector<std::int64_t>& lengths, const Neighbourhood& near);

    /// Whether rows in this order have room for as many as wanted, and for as few.
    bool reach_it() const { return reach_it_; }
    /// Returns the next row's, from the first on. Rounded so that the sum over rows keeps up with
    /// the exact one.
    std::int64_t next(std::int32_t row);

private:
    std::int64_t length(std::int32_t row) const { return lengths_[static_cast<std::size_t>(row)]; }
    std::int64_t room(std::int32_t row) const { return near_.end(row) - near_.begin(row); }
    std::int64_t most(std::int32_t row) const;
    std::int64_t least(std::int32_t row) const;
    double exact(std::int32_t row, double share) const;
    double sum_at(double share) const;
    bool holds(double wanted) const { return wanted <= sum_at(1) && wanted >= sum_at(0); }

    const std::vector<std::int64_t>& lengths_;
    const Neighbourhood& near_;
    /// Share of a neighbourhood: three quarters, beyond which little is left to choose, where these
    /// do.
    double filled_ = 0.75;
    bool reach_it_ = true;
    double share_ = 0;
    double exact_ = 0;
    std::int64_t sum_ = 0;
};

} // namespace alxsim::alx
