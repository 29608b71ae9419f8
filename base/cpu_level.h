// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim {

/// The vector instructions that a kernel is compiled for: on x86-64 the levels of its psABI
/// supplement, elsewhere (arm64) what the compiler assumes. Whatever the level, the same bits.
enum class CpuLevel {
    baseline,  ///< any x86-64: SSE2, no fused multiply-add
    x86_64_v3, ///< AVX2 and FMA
    x86_64_v4  ///< AVX-512 (F, BW, CD, DQ, VL)
};

/// "x86-64", "x86-64-v3", "x86-64-v4"; the baseline of another architecture is "baseline".
std::string name_of(CpuLevel level);

/// Those that this CPU has, from the lowest up.
std::vector<CpuLevel> cpu_levels();

/// The highest that this CPU has, or the one that the environment variable ALXSIM_CPU_LEVEL names.
/// Throws InputError where it names none that this CPU has. Read once.
CpuLevel cpu_level();

} // namespace alxsim
