// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alxsim::report {

/// The points of a report by columns, a tenth of their text: what many points have alike stands
/// once, and names of fields stand once for all points that have the same ones.
///
///     {"runs": [[shape, points in a row], ...],
///      "shapes": [{"point": {"series": 0, "sweep": {"/machine/cores": 1}, ...},
///                  "columns": [{"value": "mine"},
///                              {"distinct": [16, 32], "at": [0, 1, 0, ...]},
///                              {"values": [12.4, 11.7, ...]}, ...]}]}
///
/// A shape's `point` is a point with the number of a column in place of each value; a list of
/// values that are no objects is one value. A column has one value for all of the shape's points,
/// or one for each, written out or by its place among the distinct ones; some column of a shape
/// with several points has one for each.
class CompactPoints {
public:
    void add(const Json& point);
    /// JSON text. `left_out`: fields of points that are not in it.
    std::string text(const std::set<std::string>& left_out = {}) const;

private:
    /// Thousands of points have as many values: they stand in one text, found by a table of their
    /// numbers.
    struct Column {
        std::vector<std::uint32_t> at; ///< [point of the shape]: the number of its value

        void add(std::string_view value);
        std::size_t distinct() const { return ends_.size(); }
        /// `of_all`: one value may stand for all points.
        std::string text(bool of_all) const;

    private:
        static constexpr std::uint32_t none = ~std::uint32_t{0};

        std::string_view value(std::uint32_t number) const;
        /// Where a value stands in the table, or would.
        std::size_t slot_of(std::string_view value) const;
        void grow();

        std::string values_;            ///< one after another
        std::vector<std::size_t> ends_; ///< [number]: where its text ends
        std::vector<std::uint32_t> slots_;
    };
    struct Shape {
        Json point;
        std::vector<Column> columns;
    };

    std::unordered_map<std::string, std::size_t> numbers_; ///< of shapes, by their fields
    std::vector<Shape> shapes_;
    std::vector<std::pair<std::size_t, std::size_t>> runs_;
};

/// The JSON Schema of this form.
const Json& compact_points_schema();

/// Whether points stand in columns.
bool is_compact(const Json& points);

/// Calls `take` with each point, in order, whichever form they have. Throws InputError, naming
/// `file` and the place, for columns that do not fit together.
void for_each_point(const Json& points, const std::string& file,
                    const std::function<void(Json point)>& take);

} // namespace alxsim::report
