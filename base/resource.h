// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alxsim {

/// Files embedded into the program at build time (cmake/embed.cmake), found by name.
class Resources {
public:
    struct Entry {
        std::string_view name;
        std::string_view content;
    };

    explicit Resources(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    /// The content of the file `name`. Throws std::logic_error if it was not embedded.
    std::string_view get(std::string_view name) const;
    const std::vector<Entry>& entries() const { return entries_; }

private:
    std::vector<Entry> entries_;
};

} // namespace alxsim
