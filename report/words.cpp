// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include "base/text/printed.h"

#include <cmath>

namespace alxsim::report {

std::string IntervalWords::with_article() const
{
    const bool vowel = std::string("aeiou").find(one.front()) != std::string::npos;
    return (vowel ? "an " : "a ") + one;
}

std::string IntervalWords::counted(std::int64_t count) const
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string counted(std::int64_t count, const std::string& thing)
{
    return IntervalWords{thing, thing + "s"}.counted(count);
}

std::string in_words(double value)
{
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 0.001 && size < 1e6);
    return printed(!plain ? "%.2e" : size >= 100 ? "%.0f" : "%.3g", value);
}

std::string seconds_in_words(double seconds)
{
    if (seconds == 0) {
        return "0 s";
    }
    if (seconds < 1e-6) {
        return in_words(seconds * 1e9) + " ns";
    }
    if (seconds < 1e-3) {
        return in_words(seconds * 1e6) + " us";
    }
    if (seconds < 1) {
        return in_words(seconds * 1e3) + " ms";
    }
    return in_words(seconds) + " s";
}

std::string dollars_in_words(double usd)
{
    const auto with_digits = [](double value) {
        return printed(value >= 1000 ? "%.0f $" : "%.3g $", value);
    };
    if (usd == 0 || usd >= 0.001) {
        return with_digits(usd);
    }
    return usd >= 1e-6 ? with_digits(usd * 1e3) + " per 1,000"
                       : with_digits(usd * 1e6) + " per million";
}

std::string long_time_in_words(double seconds)
{
    constexpr double day = 86400;
    constexpr double year = 365.25 * day;
    return seconds < 100        ? printed("%.2g s", seconds)
           : seconds < 6000     ? printed("%.0f minutes", seconds / 60)
           : seconds < 2 * day  ? printed("%.1f hours", seconds / 3600)
           : seconds < 2 * year ? printed("%.0f days", seconds / day)
                                : printed("%.3g years", seconds / year);
}

std::string percent_in_words(double share)
{
    return printed(share < 0.1 ? "%.1f%%" : "%.0f%%", share * 100);
}

} // namespace alxsim::report
