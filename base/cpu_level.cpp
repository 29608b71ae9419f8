// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"

#include "base/input_error.h"

#include <cstdlib>

namespace alxsim {
namespace {

#if defined(__x86_64__)
bool has_v3()
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool has_v4()
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
bool has_v3()
{
    return false;
}
bool has_v4()
{
    return false;
}
#endif

CpuLevel chosen_level()
{
    const std::vector<CpuLevel> levels = cpu_levels();
    const char* const wanted = std::getenv("ALXSIM_CPU_LEVEL");
    if (wanted == nullptr || *wanted == '\0') {
        return levels.back();
    }
    std::vector<std::string> names;
    for (const CpuLevel level : levels) {
        names.push_back(name_of(level));
        if (names.back() == wanted) {
            return level;
        }
    }
    throw InputError(
        "the environment variable ALXSIM_CPU_LEVEL: found '" + std::string(wanted) +
        "', which this CPU does not have or which is no level (allowed here: " + join(names) + ")");
}

} // namespace

std::string name_of(CpuLevel level)
{
    switch (level) {
    case CpuLevel::x86_64_v3:
        return "x86-64-v3";
    case CpuLevel::x86_64_v4:
        return "x86-64-v4";
    default:
#if defined(__x86_64__)
        return "x86-64";
#else
        return "baseline";
#endif
    }
}

std::vector<CpuLevel> cpu_levels()
{
    std::vector<CpuLevel> levels{CpuLevel::baseline};
    if (has_v3()) {
        levels.push_back(CpuLevel::x86_64_v3);
    }
    if (has_v4()) {
        levels.push_back(CpuLevel::x86_64_v4);
    }
    return levels;
}

CpuLevel cpu_level()
{
    static const CpuLevel level = chosen_level();
    return level;
}

} // namespace alxsim
