// SPDX-License-Identifier: Apache-2.0
#include "report/left_out.h"

#include <algorithm>

namespace alxsim::report {
namespace {

std::string words_of(const Point& point)
{
    return point.left_out ? point.left_out->words : "nothing is left out";
}

} // namespace

bool leave_out_different_shares(const std::vector<const Point*>& points)
{
    const auto share = [](const Point* point) {
        return point->left_out ? point->left_out->share : 0.0;
    };
    return std::any_of(points.begin(), points.end(),
                       [&](const Point* point) { return share(point) != share(points.front()); });
}

std::vector<std::string> left_out_in_words(const std::vector<const Point*>& points)
{
    std::vector<std::string> sentences;
    if (std::none_of(points.begin(), points.end(),
                     [](const Point* point) { return point->left_out.has_value(); })) {
        return sentences;
    }
    const bool differ = leave_out_different_shares(points);
    for (const Point* point : points) {
        const std::string cores =
            differ ? "on " + std::to_string(point->machine.cores) + " cores " : "";
        const std::string sentence = cores + words_of(*point);
        if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
            sentences.push_back(sentence);
        }
    }
    if (differ) {
        sentences.emplace_back("these points do not do the same work: neither their times nor "
                               "speed-ups nor a sweet spot compare them");
    }
    return sentences;
}

} // namespace alxsim::report
