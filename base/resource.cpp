// SPDX-License-Identifier: Apache-2.0
#include "base/resource.h"

#include <stdexcept>

namespace alxsim {

std::string_view Resources::get(std::string_view name) const
{
    for (const Entry& entry : entries_) {
        if (entry.name == name) {
            return entry.content;
        }
    }
    throw std::logic_error("resource '" + std::string(name) + "' is not embedded");
}

} // namespace alxsim
