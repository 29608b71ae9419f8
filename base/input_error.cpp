// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"

#include "base/text/edit_distance.h"

#include <algorithm>

namespace alxsim {
namespace {

/// Without blanks and what ends a clause.
std::string trimmed(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(" ,;:(");
    const std::size_t end = text.find_last_not_of(" ,;.");
    return begin == std::string::npos || end < begin ? "" : text.substr(begin, end + 1 - begin);
}

/// Where a problem begins to say what is allowed; npos where it does not.
std::size_t start_of_allowed(const std::string& problem)
{
    std::size_t first = std::string::npos;
    for (const char* words :
         {"; allowed", ", allowed", "(allowed", " allowed: ", " allowed are "}) {
        first = std::min(first, problem.find(words));
    }
    return first;
}

} // namespace

InputError::InputError(const std::string& file, const std::string& place,
                       const std::string& problem)
    : std::runtime_error(printable((file.empty() ? "" : file + ": ") +
                                   (place.empty() ? "" : place + ": ") + problem)),
      parts_(std::make_shared<const Parts>(Parts{file, place, printable(problem)}))
{
}

std::string InputError::found() const
{
    const std::string& problem = this->problem();
    const std::string word = "found ";
    const std::size_t begin = problem.find(word);
    if (begin == std::string::npos || (begin > 0 && problem[begin - 1] != ' ')) {
        return "";
    }
    const std::size_t end = start_of_allowed(problem);
    return end < begin ? ""
                       : trimmed(problem.substr(begin + word.size(), end - begin - word.size()));
}

std::string InputError::allowed() const
{
    const std::size_t begin = start_of_allowed(problem());
    if (begin == std::string::npos) {
        return "";
    }
    std::string rest = problem().substr(problem().find("allowed", begin) + 7);
    for (const char* verb : {": ", " is ", " are "}) {
        if (rest.rfind(verb, 0) == 0) {
            rest.erase(0, std::string(verb).size());
            break;
        }
    }
    if (problem()[begin] == '(' && rest.find(')') != std::string::npos) {
        rest.erase(rest.rfind(')'));
    }
    return trimmed(rest);
}

InputError input_error_of(const std::string& message, const std::string& file)
{
    const std::string prefix = file + ": ";
    if (file.empty() || message.rfind(prefix, 0) != 0) {
        return InputError(message);
    }
    const std::string rest = message.substr(prefix.size());
    const std::size_t end = rest.find(": ");
    if (rest.empty() || rest.front() != '/' || end == std::string::npos) {
        return {file, "", rest};
    }
    return {file, rest.substr(0, end), rest.substr(end + 2)};
}

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
