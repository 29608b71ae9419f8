// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// "fusion" of fusion.12 and fusion.3.1: compilers number anew from version to version. Both ends
/// of asynchronous work have one name: "copy-start/done" of copy-start.3 and copy-done.1.
std::string name_without_number(const std::string& name);

/// Whether it is an end of asynchronous work: what it takes is what others leave to wait for.
bool is_end_of_async(const std::string& name);

/// Ops of one side that stand for ops of the other.
struct MatchedNames {
    std::string name;
    std::vector<std::string> a, b; ///< one of each; or all that are left of a name without number
    bool exact = true;
};
struct Matching {
    std::vector<MatchedNames> pairs;
    std::vector<std::string> only_a, only_b;
};

/// Exact names first; what is left, and the ends of asynchronous work, by name without number.
Matching matched(const std::vector<std::string>& a, const std::vector<std::string>& b);

} // namespace alxsim::experiments
