// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace alxsim::alx {

/// The number that a field of ratings holds; `place()` says where it stands. Throws InputError for
/// what is no finite number.
template <class Place>
double rating_in(std::string_view field, const std::string& path, const Place& place)
{
    double rating = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), rating);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(rating)) {
        throw InputError(path, place(),
                         "found " + shown(field) + " as a rating, allowed are numbers");
    }
    return rating;
}

} // namespace alxsim::alx
