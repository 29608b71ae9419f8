// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/profile/matching.h"

#include <algorithm>
#include <set>

namespace alxsim::experiments {
namespace {

bool is_number(const std::string& text, std::size_t from)
{
    return from < text.size() &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                       [](char letter) { return letter >= '0' && letter <= '9'; });
}

/// Where "-start" or "-done" stands in a name.
std::size_t end_in(const std::string& name)
{
    return std::min(name.rfind("-start"), name.rfind("-done"));
}

using ByName = std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>>;

} // namespace

bool is_end_of_async(const std::string& name)
{
    return end_in(name) != std::string::npos;
}

std::string name_without_number(const std::string& name)
{
    std::string base = name;
    for (std::size_t dot = base.rfind('.'); dot != std::string::npos && dot > 0;
         dot = base.rfind('.')) {
        if (!is_number(base, dot + 1)) {
            break;
        }
        base.resize(dot);
    }
    const std::size_t end = end_in(base);
    return end == std::string::npos ? base : base.substr(0, end) + "-start/done";
}

Matching matched(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    Matching matching;
    const std::set<std::string> in_b(b.begin(), b.end());
    std::set<std::string> taken;
    ByName left;
    for (const std::string& name : a) {
        if (in_b.count(name) > 0 && !is_end_of_async(name)) {
            matching.pairs.push_back({name, {name}, {name}, true});
            taken.insert(name);
        } else {
            left[name_without_number(name)].first.push_back(name);
        }
    }
    for (const std::string& name : b) {
        if (taken.count(name) == 0) {
            left[name_without_number(name)].second.push_back(name);
        }
    }
    for (auto& [name, both] : left) {
        auto& [of_a, of_b] = both;
        if (of_a.empty()) {
            matching.only_b.insert(matching.only_b.end(), of_b.begin(), of_b.end());
        } else if (of_b.empty()) {
            matching.only_a.insert(matching.only_a.end(), of_a.begin(), of_a.end());
        } else {
            matching.pairs.push_back({name, std::move(of_a), std::move(of_b), false});
        }
    }
    return matching;
}

} // namespace alxsim::experiments
