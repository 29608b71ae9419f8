// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alxsim::topologies {

/// Finds the place of a key in a list that stays as it is. A machine looks up a hundred keys for
/// each draw of its unknowns: a table that is a quarter full, and a hash of a key's beginning and
/// end, find most of them with one comparison.
class KeyPlaces {
public:
    KeyPlaces() = default;
    /// No key comes twice.
    explicit KeyPlaces(std::vector<std::string> keys) : keys_(std::move(keys))
    {
        std::size_t size = 1;
        while (size < 4 * keys_.size()) {
            size *= 2;
        }
        table_.resize(size, free);
        for (std::size_t place = 0; place < keys_.size(); ++place) {
            std::size_t at = hash(keys_[place]) & (size - 1);
            while (table_[at] != free) {
                at = (at + 1) & (size - 1);
            }
            table_[at] = static_cast<std::uint32_t>(place);
        }
    }

    const std::vector<std::string>& keys() const { return keys_; }
    std::optional<std::size_t> find(std::string_view key) const
    {
        const std::size_t mask = table_.size() - 1;
        for (std::size_t at = hash(key) & mask; table_[at] != free; at = (at + 1) & mask) {
            if (keys_[table_[at]] == key) {
                return table_[at];
            }
        }
        return std::nullopt;
    }

private:
    static constexpr std::uint32_t free = 0xffffffff;

    static std::size_t hash(std::string_view key)
    {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        if (key.size() >= sizeof begin) {
            std::memcpy(&begin, key.data(), sizeof begin);
            std::memcpy(&end, key.data() + key.size() - sizeof end, sizeof end);
        } else {
            std::copy(key.begin(), key.end(), reinterpret_cast<char*>(&begin));
        }
        const std::uint64_t mixed = (begin + 3 * end + key.size()) * 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }

    std::vector<std::string> keys_;
    std::vector<std::uint32_t> table_{free};
};

} // namespace alxsim::topologies
