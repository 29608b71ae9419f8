// SPDX-License-Identifier: Apache-2.0
#include "alx/table/link_time.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace alxsim::alx {
namespace {

/// Takes a whole number of `digits` digits from the front.
bool take_number(std::string_view& text, std::size_t digits, int& number)
{
    if (text.size() < digits) {
        return false;
    }
    number = 0;
    for (const char c : text.substr(0, digits)) {
        if (c < '0' || c > '9') {
            return false;
        }
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(digits);
    return true;
}

bool take_letter(std::string_view& text, char letter)
{
    if (text.empty() || text.front() != letter) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// Days since 1970-01-01 of the proleptic Gregorian calendar, counted in eras of 400 years that
/// begin in March.
std::int64_t days_since_1970(int year, int month, int day)
{
    const int shifted = month <= 2 ? year - 1 : year;
    const int era = shifted / 400;
    const int year_of_era = shifted - era * 400;
    const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return std::int64_t{era} * 146097 + day_of_era - 719468;
}

std::optional<double> date_of(std::string_view text)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (!take_number(text, 4, year) || !take_letter(text, '-') || !take_number(text, 2, month) ||
        !take_letter(text, '-') || !take_number(text, 2, day) || month < 1 || month > 12 ||
        day < 1 || day > 31) {
        return {};
    }
    if (take_letter(text, 'T') || take_letter(text, ' ')) {
        if (!take_number(text, 2, hour) || !take_letter(text, ':') ||
            !take_number(text, 2, minute) ||
            (take_letter(text, ':') && !take_number(text, 2, second)) || hour > 23 || minute > 59 ||
            second > 60) {
            return {};
        }
        take_letter(text, 'Z');
    }
    const std::int64_t seconds =
        days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    return text.empty() ? std::optional(static_cast<double>(seconds)) : std::nullopt;
}

} // namespace

std::optional<double> link_time(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
        return std::isfinite(number) ? std::optional(number) : std::nullopt;
    }
    return date_of(text);
}

} // namespace alxsim::alx
