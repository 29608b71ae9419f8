// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace alxsim {

struct PicosecondsTag;

/// Throws DurationError.
[[noreturn]] void refuse_duration(double seconds);

/// A number with a unit: quantities of different units do not mix. `count()` gives the number back.
/// Sums and multiples of Picoseconds throw DurationError where 64 bits do not hold them.
template <class Tag, class Rep>
class Quantity {
public:
    using rep = Rep;

    constexpr Quantity() = default;
    constexpr explicit Quantity(Rep count) : count_(count) {}

    constexpr Rep count() const { return count_; }

    constexpr Quantity operator+(Quantity other) const
    {
        if constexpr (std::is_same_v<Tag, PicosecondsTag>) {
            Rep sum = 0;
            if (__builtin_add_overflow(count_, other.count_, &sum)) {
                refuse_duration((static_cast<double>(count_) + static_cast<double>(other.count_)) *
                                1e-12);
            }
            return Quantity(sum);
        } else {
            return Quantity(count_ + other.count_);
        }
    }
    constexpr Quantity operator-(Quantity other) const { return Quantity(count_ - other.count_); }
    constexpr Quantity operator*(Rep factor) const
    {
        if constexpr (std::is_same_v<Tag, PicosecondsTag>) {
            Rep product = 0;
            if (__builtin_mul_overflow(count_, factor, &product)) {
                refuse_duration(static_cast<double>(count_) * static_cast<double>(factor) * 1e-12);
            }
            return Quantity(product);
        } else {
            return Quantity(count_ * factor);
        }
    }
    constexpr Quantity operator/(Rep divisor) const { return Quantity(count_ / divisor); }
    constexpr double operator/(Quantity other) const
    {
        return static_cast<double>(count_) / static_cast<double>(other.count_);
    }
    constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
    constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }

    constexpr bool operator==(Quantity other) const { return count_ == other.count_; }
    constexpr bool operator!=(Quantity other) const { return count_ != other.count_; }
    constexpr bool operator<(Quantity other) const { return count_ < other.count_; }
    constexpr bool operator<=(Quantity other) const { return count_ <= other.count_; }
    constexpr bool operator>(Quantity other) const { return count_ > other.count_; }
    constexpr bool operator>=(Quantity other) const { return count_ >= other.count_; }

private:
    Rep count_{};
};

template <class Tag, class Rep>
constexpr Quantity<Tag, Rep> operator*(Rep factor, Quantity<Tag, Rep> quantity)
{
    return quantity * factor;
}

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Cycles = Quantity<struct CyclesTag, std::int64_t>;
using Seconds = Quantity<struct SecondsTag, double>;
/// Simulated time. Integers, so that parts add up to their whole exactly; 2^63 ps are 106 days.
using Picoseconds = Quantity<PicosecondsTag, std::int64_t>;

/// The least integer that is not below `value`, which an std::int64_t must hold. For hot loops:
/// std::ceil is a call into a library where any x86-64 CPU must do.
constexpr std::int64_t rounded_up(double value)
{
    const auto whole = static_cast<std::int64_t>(value);
    return whole + (static_cast<double>(whole) < value ? 1 : 0);
}

/// Simulated time ends here: 100 days, short of what 64 bits of picoseconds hold.
constexpr double longest_seconds = 100.0 * 24 * 3600;

/// A duration that simulated time cannot hold. Who knows the op says so (`of`), who knows the file
/// the place in it.
class DurationError : public InputError {
public:
    explicit DurationError(double seconds, const std::string& of = "")
        : InputError("found " + words(seconds, of) +
                     ", which follows from the sizes of the work and the machine's values; "
                     "allowed: 0 to 100 days (8.64e6 s)"),
          seconds_(seconds),
          of_(of)
    {
    }
    double seconds() const { return seconds_; }
    const std::string& of() const { return of_; } ///< "": nobody said
    /// "a duration of 4.07e+13 s of op 3 'gather'"
    std::string in_words() const { return words(seconds_, of_); }

private:
    static std::string words(double seconds, const std::string& of)
    {
        char found[48];
        std::snprintf(found, sizeof found, "a duration of %.3g s", seconds);
        return (std::isnan(seconds) ? "a duration that is not a number" : found) +
               (of.empty() ? "" : " of " + of);
    }

    double seconds_;
    std::string of_;
};

/// Rounds up: a duration never becomes shorter than its formula says, so no bound is undercut.
/// Throws InputError for a duration that simulated time cannot hold.
inline Picoseconds to_picoseconds(Seconds seconds)
{
    if (!(seconds.count() >= 0 && seconds.count() <= longest_seconds)) {
        refuse_duration(seconds.count());
    }
    return Picoseconds(rounded_up(seconds.count() * 1e12 - 1e-6));
}

/// `time`, `times` over. Throws InputError likewise.
inline Picoseconds repeated(Picoseconds time, std::int64_t times)
{
    const double seconds = static_cast<double>(time.count()) * 1e-12 * static_cast<double>(times);
    if (seconds > longest_seconds) {
        refuse_duration(seconds);
    }
    return time * times;
}

inline Seconds to_seconds(Picoseconds time)
{
    return Seconds(static_cast<double>(time.count()) * 1e-12);
}

constexpr std::int64_t ceil_divide(std::int64_t value, std::int64_t by)
{
    return (value + by - 1) / by;
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t to)
{
    return ceil_divide(value, to) * to;
}

} // namespace alxsim
