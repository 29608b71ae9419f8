// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"

#include <algorithm>
#include <numeric>

namespace alxsim {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

} // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates)
{
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
    for (const std::string& candidate : candidates) {
        // Who leaves out the end or the beginning of a long name means that name, however long the
        // rest is.
        const bool beginning = !word.empty() && candidate.rfind(word, 0) == 0;
        const bool part = word.size() > 1 && candidate.find(word) != std::string::npos;
        const std::size_t distance = beginning || part ? 1 : edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates)
{
    const std::string nearest = nearest_name(word, candidates);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string join(const std::vector<std::string>& words, const std::string& separator)
{
    std::string joined;
    for (const std::string& word : words) {
        joined += (joined.empty() ? "" : separator) + word;
    }
    return joined;
}

} // namespace alxsim
