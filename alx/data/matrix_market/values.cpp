// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_market/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <tuple>

namespace alxsim::alx {

std::optional<double> matrix_market_number(std::string_view token)
{
    std::string fortran;
    const std::size_t exponent = token.find_first_of("dD");
    if (exponent != std::string_view::npos) {
        fortran = token;
        fortran[exponent] = 'e';
        token = fortran;
    }
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') {
        token.remove_prefix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size() || !std::isfinite(value)) {
        return {};
    }
    return value;
}

void AddedEntries::sort()
{
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    });
}

} // namespace alxsim::alx
