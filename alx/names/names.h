// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alxsim::alx {

/// What ids are called: id i has the i-th name, from 0. No two are the same.
class Names {
public:
    /// Of a file, plain or compressed, with a name on each line. Throws InputError for a file that
    /// cannot be read, and for a name that stands twice.
    static Names load(const std::string& path);

    bool empty() const { return names_.empty(); }
    std::size_t size() const { return names_.size(); }
    /// None where there are not so many.
    std::optional<std::string> of(std::int64_t id) const;
    std::optional<std::int32_t> find(std::string_view name) const;
    /// The id of a name, which is a new one if it had none.
    std::int32_t add(std::string_view name);
    /// As load() reads them.
    std::string text() const;

private:
    std::unordered_map<std::string, std::int32_t> ids_;
    std::vector<const std::string*> names_; ///< keys of `ids_`, which stay where they are
};

} // namespace alxsim::alx
