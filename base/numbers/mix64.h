// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim {

/// One step of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits that mixes all of them.
/// Our own, because what a seed yields must not depend on the standard library.
constexpr std::uint64_t mix64(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

} // namespace alxsim
