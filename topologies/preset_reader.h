// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "base/units.h"
#include "topologies/preset.h"

#include <cmath>
#include <string>
#include <string_view>

namespace alxsim::topologies {

/// Reads numbers out of a preset and refuses those that no machine can have.
class PresetReader {
public:
    explicit PresetReader(const Preset& preset) : preset_(preset) {}

    const Preset& preset() const { return preset_; }
    const std::string& name() const { return preset_.name(); }
    bool has(std::string_view key) const { return preset_.has(key); }

    /// Rates and the like: whatever is larger takes no time that simulated time can tell from none.
    double positive(std::string_view key) const
    {
        const double number = preset_.number(key);
        return number > 0 && number <= 1e18 ? number : refuse(key, "a number > 0 up to 1e18");
    }

    int count(std::string_view key) const
    {
        const double number = preset_.number(key);
        // A few of them are multiplied.
        const bool whole = number >= 1 && number <= 1e6 && number == std::floor(number);
        return static_cast<int>(whole ? number : refuse(key, "a whole number from 1 to 1000000"));
    }

    Bytes bytes(std::string_view key) const
    {
        const double number = preset_.number(key);
        const bool inside = number >= 1 && number <= 1e15;
        return Bytes(
            static_cast<std::int64_t>(inside ? number : refuse(key, "bytes from 1 to 1e15")));
    }

    Seconds seconds(std::string_view key) const
    {
        const double number = preset_.number(key);
        return Seconds(number >= 0 && number <= 1e3 ? number
                                                    : refuse(key, "seconds from 0 to 1000"));
    }

    /// A share of a rate, which must leave some.
    double efficiency(std::string_view key) const
    {
        const double number = preset_.number(key);
        return number > 0 && number <= 1 ? number : refuse(key, "a number > 0 up to 1");
    }

    double share(std::string_view key) const
    {
        const double number = preset_.number(key);
        return number >= 0 && number <= 1 ? number : refuse(key, "a number from 0 to 1");
    }

    /// A share that presets of one's own may leave out.
    double share_or_zero(std::string_view key) const { return has(key) ? share(key) : 0.0; }

    double not_negative(std::string_view key) const
    {
        const double number = preset_.number(key);
        return number >= 0 ? number : refuse(key, "a number from 0");
    }

    /// Whole bytes in a range; 0 too where it has a meaning of its own.
    Bytes bytes_within(std::string_view key, Bytes low, Bytes high, bool or_zero) const
    {
        const double number = preset_.number(key);
        const bool inside = number >= static_cast<double>(low.count()) &&
                            number <= static_cast<double>(high.count());
        if (!(inside || (or_zero && number == 0)) || number != std::floor(number)) {
            refuse(key, (or_zero ? "0, or whole bytes from " : "whole bytes from ") +
                            std::to_string(low.count()) + " to " + std::to_string(high.count()));
        }
        return Bytes(static_cast<std::int64_t>(number));
    }

    bool flag(std::string_view key) const
    {
        const Json value = preset_.value(key);
        return value.is_boolean() ? value.get<bool>() : refuse(key, "true or false") != 0;
    }

    std::string text(std::string_view key) const
    {
        const Json& value = preset_.at(key).value;
        return value.is_string() ? value.get<std::string>() : (refuse(key, "text"), "");
    }

    /// Throws InputError with the value found and where it is from; `beside`: what else decides.
    [[noreturn]] double refuse(std::string_view key, const std::string& allowed,
                               const std::string& beside = "") const
    {
        const PresetValue& entry = preset_.at(key);
        throw InputError("preset " + preset_.name(), std::string(key),
                         "found " + preset_.value(key).dump() + " " + entry.unit + " (" +
                             entry.source + ")" + beside + "; allowed: " + allowed);
    }

    /// ", hbm_trp_s: 1 s (override at s.json: ...)": another value, for `beside`.
    std::string and_value(std::string_view key) const
    {
        const PresetValue& entry = preset_.at(key);
        const bool overridden = entry.kind == "overridden";
        return ", " + std::string(key) + ": " + preset_.value(key).dump() + " " + entry.unit +
               (overridden ? " (" + entry.source + ")" : "");
    }

private:
    const Preset& preset_;
};

} // namespace alxsim::topologies
