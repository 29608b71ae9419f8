// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <fstream>
#include <string>
#include <vector>

namespace alxsim {

/// Path of a reference file of tests/golden/data.
std::string golden_path(const std::string& name);
Json golden_json(const std::string& name);

/// Raw numbers, little-endian, no header.
template <class Number>
std::vector<Number> golden_numbers(const std::string& name)
{
    std::ifstream file(golden_path(name), std::ios::binary | std::ios::ate);
    std::vector<Number> numbers(static_cast<std::size_t>(file.tellg()) / sizeof(Number));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(numbers.data()),
              static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
    return numbers;
}

} // namespace alxsim
