// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <optional>
#include <string>

namespace alxsim::model {

/// What a size may be written as in place of a number: numbers, `devices` (of the machine that the
/// graph runs on), + - * / and parentheses, ceil(a), floor(a), min(a, b), max(a, b):
/// "65536/devices". It is computed exactly, in fractions. A size must come out whole: ceil and
/// floor say how to round. `devices`: nothing where no machine is known. Throws InputError at
/// `place` for what is no such expression, is not whole, or is 2^63 and more.
std::int64_t size_of_expression(const std::string& text, std::optional<int> devices,
                                const std::string& file, const std::string& place);

/// An op graph with numbers in place of the expressions in its sizes; `ops_per_element` need not be
/// whole. Throws InputError at the size.
Json with_sizes(Json graph, std::optional<int> devices, const std::string& file);

} // namespace alxsim::model
