// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alxsim::alx {

/// What ids are called: id i has the i-th name, from 0, and no two have the same; or, of a table,
/// each id the name that stands beside it.
class Names {
public:
    /// Reads a file, plain or compressed: a name on each line, or a table whose first line names a
    /// column of ids (id, userId, movieId ..) and one of names (title, name ..). `first_id`: the id
    /// of the table that is our 0, as the links' file has it. Throws InputError for a file that
    /// cannot be read, for a name that stands twice on lines alone, and for what is no id in a
    /// table.
    static Names load(const std::string& path, std::int64_t first_id = 0);

    bool empty() const { return names_.empty() && by_id_.empty(); }
    /// Whether ids stand beside the names, so that some may have none.
    bool is_table() const { return !by_id_.empty(); }
    std::size_t size() const { return is_table() ? by_id_.size() : names_.size(); }
    /// None where there are not so many.
    std::optional<std::string> of(std::int64_t id) const;
    /// None, too, where several ids of a table have it.
    std::optional<std::int32_t> find(std::string_view name) const;
    /// The id of a name, which is a new one if it had none.
    std::int32_t add(std::string_view name);
    /// As load() reads them.
    std::string text() const;

private:
    void put(std::int32_t id, const std::string& name);

    static constexpr std::int32_t several = -1;

    std::unordered_map<std::string, std::int32_t> ids_;
    std::unordered_map<std::int64_t, std::string> by_id_; ///< of a table
    std::vector<const std::string*> names_; ///< keys of `ids_`, which stay where they are
};

} // namespace alxsim::alx
