// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace alxsim::program {

/// A file of the page, as it was embedded at build time.
struct PageFile {
    std::string type;
    std::string content;
};

/// The file of that name ("" is the page itself); nothing for any other name.
std::optional<PageFile> page_file(const std::string& name);

} // namespace alxsim::program
