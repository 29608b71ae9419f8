// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Links in any order, put in order in little memory: each run of 2^20 is sorted and kept as gaps,
/// about three bytes a link, and the runs are merged in the end, given back as they are read.
class LinkRuns {
public:
    void add(std::int32_t row, std::int32_t column);
    /// Links so far, each as often as it came.
    std::int64_t links() const { return links_; }
    /// Memory in use.
    std::int64_t bytes() const { return bytes_; }

    /// Calls `row` for each row from 0 to `rows` - 1 with its columns, ascending, each once. Leaves
    /// nothing behind.
    void for_rows(std::int64_t rows,
                  const std::function<void(const std::vector<std::int32_t>& columns)>& row);

private:
    using Run = std::deque<std::string>; ///< in pieces

    class Cursor;
    void seal();

    std::vector<std::uint64_t> open_; ///< the run that grows: row and column of each link
    std::vector<Run> runs_;
    std::int64_t links_ = 0;
    std::int64_t bytes_ = 0;
};

} // namespace alxsim::alx
