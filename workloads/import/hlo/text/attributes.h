// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace alxsim::hlo {

/// -12, of nothing but a sign and digits.
std::optional<std::int64_t> whole_number(std::string_view text);
/// The whole numbers in a text in order, whatever stands between them: of "{0,2}" 0 and 2, of
/// "[0:1]" 0 and 1. Numbers beyond 2^63 end the list.
std::vector<std::int64_t> numbers_in(std::string_view text);
/// `text` without the quotes around it, if it has them.
std::string_view without_quotes(std::string_view text);
/// {a="x", b={1,2} c=3} as fields, parted by blanks or commas; words without "=" have no value.
/// What is damaged ends the list.
std::vector<Attribute> fields_of(std::string_view braced);
/// What stands behind `"name":` in JSON text that is not parsed: an object, a list, a string or a
/// number with its brackets or quotes; "" where the name is not there.
std::string_view json_member(std::string_view json, std::string_view name);

} // namespace alxsim::hlo
