// SPDX-License-Identifier: Apache-2.0
#include "base/memory/host_memory.h"

#include "base/input_error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>

namespace alxsim {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view units = " KMGT";

/// The number in a file that holds one; none for "max" or no file.
std::optional<std::int64_t> number_in(const std::string& path)
{
    std::int64_t number = 0;
    std::ifstream file(path);
    return file >> number ? std::optional(number) : std::nullopt;
}

/// MemAvailable of /proc/meminfo (proc(5)): what a new process gets without swapping.
std::int64_t available_in_system()
{
    std::ifstream file("/proc/meminfo");
    for (std::string name; file >> name;) {
        std::int64_t kibibytes = 0;
        if (name == "MemAvailable:" && file >> kibibytes) {
            return kibibytes * 1024;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return unlimited;
}

/// A line of /proc/self/status (proc(5)), in bytes.
std::optional<Bytes> of_own_status(const std::string& wanted)
{
    std::ifstream file("/proc/self/status");
    for (std::string name; file >> name;) {
        std::int64_t kibibytes = 0;
        if (name == wanted && file >> kibibytes) {
            return Bytes(kibibytes * 1024);
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::nullopt;
}

/// What version 2 of control groups (docs.kernel.org/admin-guide/cgroup-v2), or version 1, leaves.
std::int64_t available_in_group()
{
    const std::string root = "/sys/fs/cgroup/";
    for (const auto& [limit, used] :
         {std::pair("memory.max", "memory.current"),
          std::pair("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes")}) {
        const std::optional<std::int64_t> most = number_in(root + limit);
        if (most) {
            return std::max<std::int64_t>(0, *most - number_in(root + used).value_or(0));
        }
    }
    return unlimited;
}

} // namespace

Bytes available_host_memory()
{
    return Bytes(std::min(available_in_system(), available_in_group()));
}

Bytes host_memory_limit()
{
    const char* const given = std::getenv("ALXSIM_MEMORY");
    return given == nullptr ? available_host_memory() : bytes_of_text(given, "ALXSIM_MEMORY");
}

PeakMemory::PeakMemory()
{
    std::ofstream reset("/proc/self/clear_refs"); // 5: the peak is what it is now
    if (reset << "5" << std::flush) {
        before_ = of_own_status("VmRSS:");
    }
}

std::optional<Bytes> PeakMemory::rise() const
{
    const std::optional<Bytes> peak = of_own_status("VmHWM:");
    return before_ && peak ? std::optional(std::max(Bytes(0), *peak - *before_)) : std::nullopt;
}

Bytes bytes_of_text(const std::string& text, const std::string& option)
{
    char unit[4] = "";
    double number = 0;
    int end = 0;
    const int found = std::sscanf(text.c_str(), "%lf %3[KMGTiBkgmt]%n", &number, unit, &end);
    const bool whole = found == 1 ? text.find_first_not_of("0123456789.eE+ ") == std::string::npos
                                  : found == 2 && static_cast<std::size_t>(end) == text.size();
    const std::string name(unit);
    const auto power =
        name.empty() || name == "B"
            ? 0
            : units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(name[0]))));
    const bool known = power != std::string_view::npos && power < units.size() &&
                       (name.size() < 2 || name.substr(1) == "B" || name.substr(1) == "iB");
    for (std::size_t i = 0; known && i < power; ++i) {
        number *= 1024;
    }
    if (!whole || !known || !(number >= 1) || number > 1e18) {
        throw InputError(option, text, "is no size of memory; allowed are such as 8G and 200e6");
    }
    return Bytes(static_cast<std::int64_t>(number));
}

std::string memory_in_words(Bytes bytes)
{
    auto number = static_cast<double>(bytes.count());
    std::size_t unit = 0;
    for (; number >= 1000 && unit + 1 < units.size(); ++unit) {
        number /= 1024;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f B" : "%.1f %ciB", number, units[unit]);
    return text;
}

void refuse_beyond_memory(Bytes needed, Bytes limit, const std::string& what,
                          const std::string& file, const std::string& place)
{
    if (needed > limit) {
        throw InputError(file, place,
                         what + " would take about " + memory_in_words(needed) +
                             " of this host's memory; allowed: " + memory_in_words(limit) +
                             ", which it has free, or which run --memory or ALXSIM_MEMORY sets");
    }
}

int points_at_once(int jobs, Bytes largest, Bytes limit)
{
    const std::int64_t most = limit.count() / std::max<std::int64_t>(1, largest.count());
    return static_cast<int>(std::clamp<std::int64_t>(most, 1, jobs));
}

} // namespace alxsim
