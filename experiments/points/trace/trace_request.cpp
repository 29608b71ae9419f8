// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/trace_request.h"

#include "base/input_error.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

namespace alxsim::experiments {
namespace {

constexpr std::size_t longest_label = 80;

/// A whole number from 1 on, and nothing else.
std::optional<std::int64_t> number_of(std::string_view text)
{
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data(), end, number);
    return problem == std::errc() && stopped == end && number >= 1 ? std::optional(number)
                                                                   : std::nullopt;
}

} // namespace

sim::TracedSteps traced_steps_of(const std::string& text, const std::string& option)
{
    using Which = sim::TracedSteps::Which;
    if (text == "first") {
        return {Which::first};
    }
    if (text == "last") {
        return {Which::last};
    }
    if (text == "worst") {
        return {Which::worst};
    }
    const std::size_t colon = text.find(':');
    const auto from = number_of(std::string_view(text).substr(0, colon));
    const auto to =
        colon == std::string::npos ? from : number_of(std::string_view(text).substr(colon + 1));
    if (!from || !to || *to < *from) {
        throw InputError(option, text,
                         "is no choice of steps; allowed: first, last, worst (the longest), a "
                         "number like 3, or FROM:TO like 3:8, counted from 1");
    }
    return {Which::range, *from, *to};
}

std::string how_to_see_more(const TraceRequest& request)
{
    return "; the limit is " + std::to_string(request.limit_mib) +
           " MiB (--trace-limit), a viewer needs several times that";
}

std::string trace_file_of(const std::string& folder, std::size_t number, const std::string& label)
{
    char digits[24];
    std::snprintf(digits, sizeof digits, "%04zu", number);
    std::string words;
    for (const char letter : label) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
        if (plain) {
            words += letter;
        } else if (!words.empty() && words.back() != '-') {
            words += '-';
        }
    }
    words.resize(std::min(words.size(), longest_label));
    while (!words.empty() && (words.back() == '-' || words.back() == '.')) {
        words.pop_back();
    }
    return folder + "/point-" + digits + (words.empty() ? "" : "-" + words) + ".json.gz";
}

} // namespace alxsim::experiments
