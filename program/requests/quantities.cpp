// SPDX-License-Identifier: Apache-2.0
#include "program/requests/quantities.h"

#include "base/input_error.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace alxsim::program {
namespace {

const std::map<std::string, double>& seconds_of_units()
{
    static const std::map<std::string, double> all{
        {"", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    return all;
}

/// A number above 0 with what stands behind it.
struct Quantity {
    double number = 0;
    std::string unit;
};

std::optional<Quantity> quantity_of(const std::string& text)
{
    Quantity quantity;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, quantity.number);
    if (problem != std::errc() || !(quantity.number > 0) || !std::isfinite(quantity.number)) {
        return std::nullopt;
    }
    quantity.unit.assign(rest, end);
    quantity.unit.erase(0, quantity.unit.find_first_not_of(' '));
    return quantity;
}

} // namespace

double positive_number(const std::string& option, const std::string& text)
{
    const std::optional<Quantity> quantity = quantity_of(text);
    if (!quantity || !quantity->unit.empty()) {
        throw InputError(option, text, "is no number above 0; allowed: 60, 0.5, 1e3");
    }
    return quantity->number;
}

double duration_of(const std::string& option, const std::string& text)
{
    const std::optional<Quantity> quantity = quantity_of(text);
    const auto unit = quantity ? seconds_of_units().find(quantity->unit) : seconds_of_units().end();
    if (unit == seconds_of_units().end()) {
        throw InputError(
            option, text,
            "is no time above 0; allowed: seconds, or a number with us, ms, s, min, h or "
            "d: 90, 10min, 1.5h");
    }
    return quantity->number * unit->second;
}

} // namespace alxsim::program
