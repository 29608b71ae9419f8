// SPDX-License-Identifier: Apache-2.0
#include "alx/data/link_runs.h"

#include <algorithm>
#include <array>
#include <queue>

namespace alxsim::alx {
namespace {

constexpr std::size_t run_links = 1 << 20;
constexpr std::size_t piece_of_run = 1 << 16;
constexpr std::size_t longest_varint = 10;
constexpr int digit_bits = 16;

/// Sorts by digits from the lowest on, leaving out those that all numbers share.
void sort_by_digits(std::vector<std::uint64_t>& numbers)
{
    std::vector<std::uint64_t> sorted(numbers.size());
    for (int shift = 0; shift < 64; shift += digit_bits) {
        std::array<std::size_t, (1 << digit_bits) + 1> begins{};
        const auto digit = [shift](std::uint64_t number) {
            return static_cast<std::size_t>(number >> shift & ((1 << digit_bits) - 1));
        };
        for (const std::uint64_t number : numbers) {
            ++begins[digit(number) + 1];
        }
        if (begins[digit(numbers.front()) + 1] == numbers.size()) {
            continue;
        }
        for (std::size_t i = 1; i < begins.size(); ++i) {
            begins[i] += begins[i - 1];
        }
        for (const std::uint64_t number : numbers) {
            sorted[begins[digit(number)]++] = number;
        }
        numbers.swap(sorted);
    }
}

void append_varint(std::string& bytes, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        bytes.push_back(static_cast<char>(value | 0x80));
    }
    bytes.push_back(static_cast<char>(value));
}

} // namespace

/// Reads a run from its beginning, and gives back what it has read.
class LinkRuns::Cursor {
public:
    explicit Cursor(Run run) : run_(std::move(run)) { next(); }

    bool at_end() const { return at_end_; }
    std::uint64_t link() const { return link_; }
    void next()
    {
        while (!run_.empty() && place_ == run_.front().size()) {
            run_.pop_front();
            place_ = 0;
        }
        at_end_ = run_.empty();
        if (at_end_) {
            return;
        }
        const std::uint64_t rows = varint();
        const std::uint64_t columns = varint();
        link_ = rows == 0 ? link_ + columns : ((link_ >> 32) + rows) << 32 | columns;
    }

private:
    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(run_.front()[place_++]);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) {
                return value;
            }
        }
    }

    Run run_;
    std::size_t place_ = 0; ///< in its first piece
    std::uint64_t link_ = 0;
    bool at_end_ = false;
};

void LinkRuns::add(std::int32_t row, std::int32_t column)
{
    if (open_.empty()) {
        open_.reserve(run_links);
    }
    open_.push_back(static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(column));
    ++links_;
    if (open_.size() == run_links) {
        seal();
    }
}

/// A link is told by how many rows it is behind the one before, and by its column, less that of the
/// one before in the same row.
void LinkRuns::seal()
{
    if (open_.empty()) {
        return;
    }
    if (!std::is_sorted(open_.begin(), open_.end())) {
        sort_by_digits(open_);
    }
    open_.erase(std::unique(open_.begin(), open_.end()), open_.end());
    Run run;
    std::uint64_t previous = 0;
    for (const std::uint64_t link : open_) {
        if (run.empty() || run.back().size() + 2 * longest_varint > piece_of_run) {
            run.emplace_back();
            run.back().reserve(piece_of_run);
            bytes_ += piece_of_run;
        }
        const std::uint64_t rows = (link >> 32) - (previous >> 32);
        append_varint(run.back(), rows);
        append_varint(run.back(), rows == 0 ? link - previous : link & 0xffffffffU);
        previous = link;
    }
    runs_.push_back(std::move(run));
    open_.clear();
}

void LinkRuns::for_rows(std::int64_t rows,
                        const std::function<void(const std::vector<std::int32_t>& columns)>& row)
{
    seal();
    std::vector<std::uint64_t>().swap(open_);
    std::vector<Cursor> cursors;
    cursors.reserve(runs_.size());
    for (Run& run : runs_) {
        cursors.emplace_back(std::move(run));
    }
    runs_.clear();
    using Next = std::pair<std::uint64_t, std::size_t>; // link and cursor
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    for (std::size_t i = 0; i < cursors.size(); ++i) {
        queue.emplace(cursors[i].link(), i);
    }
    std::vector<std::int32_t> columns;
    for (std::int64_t i = 0; i < rows; ++i) {
        columns.clear();
        const std::uint64_t end = static_cast<std::uint64_t>(i + 1) << 32;
        while (!queue.empty() && queue.top().first < end) {
            Cursor& cursor = cursors[queue.top().second];
            const std::size_t index = queue.top().second;
            queue.pop();
            // The same run goes on where no other has a smaller link.
            const std::uint64_t others = queue.empty() ? end : std::min(end, queue.top().first);
            do {
                const auto column = static_cast<std::int32_t>(cursor.link() & 0xffffffffU);
                if (columns.empty() || columns.back() != column) {
                    columns.push_back(column);
                }
                cursor.next();
            } while (!cursor.at_end() && cursor.link() < others);
            if (!cursor.at_end()) {
                queue.emplace(cursor.link(), index);
            }
        }
        row(columns);
    }
}

} // namespace alxsim::alx
