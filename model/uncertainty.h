// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::model {

/// An uncertain number: low <= central <= high.
struct UnknownNumber {
    double low = 0;
    double central = 0;
    double high = 0;
};

/// The number below which a share `quantile` in (0, 1) of our belief lies: half of it below the
/// central value and half above, evenly in the logarithm on each side (in the number itself where
/// low is not above 0). Costs that no data sheet gives are uncertain by factors.
double value_at(const UnknownNumber& unknown, double quantile);

/// One column of a Latin hypercube (McKay, Beckman, Conover, Technometrics 1979): quantiles in
/// (0, 1), one in each of `samples` equal ranges, in an order that follows from seed and name
/// alone. So an unknown has the same draws whatever else is drawn beside it, and on any host.
std::vector<double> latin_column(int samples, std::uint64_t seed, const std::string& name);

/// The value below which a share `share` in [0, 1] of `values` lies, interpolated between
/// neighbours (Hyndman and Fan's type 7). Throws std::invalid_argument if there are none.
double quantile_of(std::vector<double> values, double share);

} // namespace alxsim::model
