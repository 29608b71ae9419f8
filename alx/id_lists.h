// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/memory/growing_bytes.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Lists of ascending ids, each id of a list once, in about half of their memory: a list is kept as
/// the gaps between its ids, each in one of up to four numbers of bits that suit the list best. On
/// made-up webs of 20 million columns with 50 links in a row that are 2.3 bytes an id and 5 a list.
///
/// A list's code begins at a byte with its length (LEB128); then, bit by bit from the lowest on: k,
/// 2 bits; 2^k widths, 5 bits each; for each id, k bits that name its width; and for each id, the
/// gap, id - previous - 1, in that width. The code of an empty list is empty.
class IdLists {
public:
    IdLists() = default;
    /// Codes of more than `most_in_memory` are in a mapped file: see GrowingBytes.
    explicit IdLists(Bytes most_in_memory) : codes_(most_in_memory) {}

    std::int64_t size() const { return static_cast<std::int64_t>(begins_.size()); }
    /// Ids of all lists.
    std::int64_t total() const { return total_; }
    std::int64_t length(std::int64_t list) const;
    /// Writes the list's ids to `ids` [length(list)]. May be called from many threads.
    void read(std::int64_t list, std::int32_t* ids) const;

    /// Makes room for so many lists.
    void reserve(std::int64_t lists);
    /// Adds a list; `ids` [count] ascend and are not negative. Throws std::length_error if eight
    /// lists in a row take more than 4 GiB.
    void append(const std::int32_t* ids, std::int64_t count);
    /// Adds a list of others as it is.
    void append(const IdLists& others, std::int64_t list);

    /// Memory in use, without what is in a mapped file.
    std::size_t bytes() const;

    friend bool operator==(const IdLists& a, const IdLists& b);
    friend bool operator!=(const IdLists& a, const IdLists& b) { return !(a == b); }

private:
    const unsigned char* code(std::int64_t list) const;
    std::size_t end(std::int64_t list) const;
    void begin_list();

    GrowingBytes codes_;
    std::vector<std::uint64_t> blocks_; ///< where the code of each eighth list begins
    std::vector<std::uint32_t> begins_; ///< where each list's code begins, from its block's on
    std::int64_t total_ = 0;
};

} // namespace alxsim::alx
