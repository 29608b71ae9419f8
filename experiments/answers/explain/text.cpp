// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/text.h"

#include "report/words.h"

#include <utility>

namespace alxsim::experiments {

std::string count_in_words(double count)
{
    const std::pair<double, const char*> sizes[] = {
        {1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}, {1e4, " thousand"}};
    for (const auto& [size, name] : sizes) {
        if (count >= size && count < 1e15) {
            return report::in_words(count / (size == 1e4 ? 1e3 : size)) + name;
        }
    }
    return report::in_words(count);
}

std::string cores_in_words(std::int64_t cores)
{
    return std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

} // namespace alxsim::experiments
