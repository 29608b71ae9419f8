// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::alx {

/// The variants of one choice, by the name they have in a study.
template <class Interface>
class Registry {
public:
    using Make = std::unique_ptr<const Interface> (*)();

    /// `pointer` is where a study names the variant.
    Registry(std::string pointer, std::vector<std::pair<std::string, Make>> variants)
        : pointer_(std::move(pointer)),
          variants_(std::move(variants))
    {
    }

    /// Throws InputError naming the field, what was found and what is allowed.
    std::unique_ptr<const Interface> create(const std::string& name) const
    {
        for (const auto& [variant, make] : variants_) {
            if (variant == name) {
                return make();
            }
        }
        throw InputError("", pointer_,
                         "found '" + name + "', allowed are " + join(names()) +
                             did_you_mean(name, names()));
    }

    std::vector<std::string> names() const
    {
        std::vector<std::string> result;
        for (const auto& variant : variants_) {
            result.push_back(variant.first);
        }
        return result;
    }

private:
    std::string pointer_;
    std::vector<std::pair<std::string, Make>> variants_;
};

} // namespace alxsim::alx
