// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace alxsim::alx {

/// A number as C or Fortran writes it (+1, 0.5D+01); none for anything else, infinities and NaN
/// too.
std::optional<double> matrix_market_number(std::string_view token);

/// Entries of a matrix, of which those at one place are added, as scipy.sparse does, in the order
/// in which they came.
class AddedEntries {
public:
    void add(std::int32_t row, std::int32_t column, std::complex<double> value)
    {
        entries_.push_back({row, column, value});
    }
    std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(entries_.capacity() * sizeof(Entry));
    }
    /// Calls `link(row, column)` for each place whose sum `is_link`, row by row. Once.
    template <class IsLink, class Link>
    void for_each_link(const IsLink& is_link, const Link& link)
    {
        sort();
        for (std::size_t i = 0; i < entries_.size();) {
            const Entry first = entries_[i];
            std::complex<double> sum = 0;
            for (; i < entries_.size() && entries_[i].row == first.row &&
                   entries_[i].column == first.column;
                 ++i) {
                sum += entries_[i].value;
            }
            if (is_link(sum)) {
                link(first.row, first.column, sum);
            }
        }
    }

private:
    struct Entry {
        std::int32_t row;
        std::int32_t column;
        std::complex<double> value;
    };
    void sort();

    std::vector<Entry> entries_;
};

} // namespace alxsim::alx
