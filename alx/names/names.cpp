// SPDX-License-Identifier: Apache-2.0
#include "alx/names/names.h"

#include "alx/files/line_reader.h"
#include "base/input_error.h"

#include <limits>

namespace alxsim::alx {

Names Names::load(const std::string& path)
{
    Names names;
    LineReader lines(path);
    std::string_view line;
    while (lines.next(line)) {
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        const std::size_t before = names.size();
        const std::int32_t id = names.add(line);
        if (names.size() == before) {
            throw InputError(path, lines.place(),
                             "found " + shown(line) + ", which line " + std::to_string(id + 1) +
                                 " has, too; allowed are names that differ");
        }
    }
    return names;
}

std::optional<std::string> Names::of(std::int64_t id) const
{
    return id >= 0 && id < static_cast<std::int64_t>(names_.size())
               ? std::optional(*names_[static_cast<std::size_t>(id)])
               : std::nullopt;
}

std::optional<std::int32_t> Names::find(std::string_view name) const
{
    const auto found = ids_.find(std::string(name));
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::int32_t Names::add(std::string_view name)
{
    if (names_.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw InputError("more than " + std::to_string(names_.size()) + " names");
    }
    const auto [place, is_new] =
        ids_.try_emplace(std::string(name), static_cast<std::int32_t>(names_.size()));
    if (is_new) {
        names_.push_back(&place->first);
    }
    return place->second;
}

std::string Names::text() const
{
    std::string text;
    for (const std::string* name : names_) {
        text += *name + "\n";
    }
    return text;
}

} // namespace alxsim::alx
