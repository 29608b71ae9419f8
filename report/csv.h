// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::report {

/// The points of a report as CSV (RFC 4180: CRLF, quotes where needed): a row per point, a column
/// per number. A column's name is the field's path in a point of the report, "machine.cores",
/// "phases.solve", "sweep./machine/cores"; `point` is the point's place in the report. What a point
/// does not have is empty; lists have no columns.
std::string points_csv(const Report& report);

/// The draws of its points likewise: a row per point and draw, with `point`, `series`, `draw` and
/// what the report keeps of each draw, "drawn.epoch_seconds". Draw i is the same world at every
/// point. Points without draws have no rows.
std::string draws_csv(const Report& report);

/// The same, point by point.
class PointsTable {
public:
    using Columns = std::vector<std::string>;

    /// A point as a report has it.
    void add(const Json& point);

    std::string csv() const;
    /// Every column of any point. One that an earlier point lacks stands behind the one that
    /// precedes it in its own row, so that columns of a kind stay together.
    Columns columns() const;
    std::size_t rows() const { return rows_.size(); }
    /// "" where the point has no such column.
    std::string cell(std::size_t row, const std::string& column) const;

private:
    /// The cells of a row one behind the other. Most rows have the columns of others.
    struct Row {
        std::size_t columns = 0; ///< into `kinds_`
        std::string text;
        std::vector<std::uint32_t> ends;

        std::string_view at(std::size_t cell) const;
    };

    std::vector<Columns> kinds_;
    std::vector<Row> rows_;
};

/// Some of these columns as lines of text for a terminal, numbers rounded and times with their
/// units; "cores" is "machine.cores". Throws InputError for a column that no point has.
std::string points_table(const Report& report, const std::vector<std::string>& columns);

} // namespace alxsim::report
