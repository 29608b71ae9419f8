// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace alxsim::report {

/// What a job's times are told of: one interval, as its workload names it.
struct IntervalWords {
    std::string one = "interval"; ///< "epoch", "training step"
    std::string many = "intervals";

    /// "an epoch".
    std::string with_article() const;
    /// "1 epoch", "7 epochs".
    std::string counted(std::int64_t count) const;
};

/// A number as people write it: at most three significant digits behind the point, no exponent from
/// 0.001 to 1e6.
std::string in_words(double value);

/// "1 point", "7 points".
std::string counted(std::int64_t count, const std::string& thing);

/// "1.23 ms": a duration with the unit that suits it.
std::string seconds_in_words(double seconds);

/// "0.0118 $", "0.087 $ per 1,000": of what costs less than a tenth of a cent, what a thousand or a
/// million of them cost.
std::string dollars_in_words(double usd);

/// "7 s", "12 minutes", "3.4 hours", "139 days", "7.5 years": how long a person waits.
std::string long_time_in_words(double seconds);

/// "62%".
std::string percent_in_words(double share);

} // namespace alxsim::report
