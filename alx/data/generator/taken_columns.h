// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace alxsim::alx {

/// Those of the columns that a row has taken which lack most links, as ranges of the links that
/// columns lack (OpenLinks). A draw that falls into one of them is known to be void without a
/// search for its column: in webs most draws are, because a few columns lack most of the links.
class TakenColumns {
public:
    void clear() { sizes_.fill(0); }

    /// Whether the link at `position` is one of theirs.
    bool hold(std::int64_t position) const
    {
        int holding = 0; // counted, because where a draw falls cannot be predicted
        for (std::size_t i = 0; i < most; ++i) {
            holding += static_cast<std::uint64_t>(position - begins_[i]) < sizes_[i] ? 1 : 0;
        }
        return holding > 0;
    }

    /// After the row took a link of the column whose links begin at `begin`: `left` others are left
    /// there, and the links of all later columns begin one earlier.
    void take(std::int64_t begin, std::int64_t left)
    {
        std::size_t least = 0;
        for (std::size_t i = 0; i < most; ++i) {
            begins_[i] -= begins_[i] > begin ? 1 : 0;
            least = sizes_[i] < sizes_[least] ? i : least;
        }
        if (sizes_[least] < static_cast<std::uint64_t>(left)) {
            begins_[least] = begin;
            sizes_[least] = static_cast<std::uint64_t>(left);
        }
    }

private:
    static constexpr std::size_t most = 16;

    std::array<std::int64_t, most> begins_{};
    std::array<std::uint64_t, most> sizes_{}; ///< 0: no range
};

} // namespace alxsim::alx
