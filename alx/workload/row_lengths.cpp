// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/row_lengths.h"

#include "alx/batches/degree_distribution.h"
#include "base/input_error.h"
#include "base/text/printed.h"

#include <cmath>

namespace alxsim::alx {
namespace {

std::string percent(double share)
{
    return printed_percent(share < 0.0995 ? "%.2g" : "%.3g", share);
}

std::string capacity_in_words(const BatchGeometry& batch)
{
    return in_thousands(batch.slots()) + " (" + in_thousands(batch.lines) + " lines of " +
           std::to_string(batch.line_length) + ")";
}

double mean_length(const SideShape& side)
{
    return static_cast<double>(side.links) / static_cast<double>(side.rows);
}

LengthLaw law_of(const SideShape& side)
{
    return length_law(side.min_links, side.longest, mean_length(side));
}

/// What the lengths of rows, or of columns, are assumed to be like.
std::string law_in_words(const std::string& kind, const SideShape& side)
{
    switch (law_of(side)) {
    case LengthLaw::equal:
        return "every " + kind + " has " + in_thousands(std::llround(mean_length(side))) + " links";
    case LengthLaw::lacking:
        return "what a " + kind + " lacks to " + in_thousands(side.longest) +
               " links follows a power law, for the mean is in the upper half";
    case LengthLaw::power:
        break;
    }
    return "lengths of " + kind + "s follow a power law";
}

void note_assumed_lengths(const Job& job, std::vector<std::string>& notes)
{
    const WorkloadShape& shape = *job.shape;
    std::vector<std::string> lengths;
    std::vector<std::string> fields;
    const auto tell = [&](const char* kind, const SideBatches& side, bool given) {
        if (!given) {
            lengths.push_back(std::string("the longest ") + kind + " has " +
                              in_thousands(side.longest) + " links");
            fields.push_back(std::string("shape.longest_") + kind);
        }
    };
    tell("row", job.program.rows, shape.longest_row_given);
    tell("column", job.program.columns, shape.longest_column_given);
    const SideShape rows = row_side(shape);
    const SideShape columns = column_side(shape);
    const bool both = law_of(rows) == LengthLaw::power && law_of(columns) == LengthLaw::power;
    if (!lengths.empty() || !both) {
        const std::string law =
            both ? "lengths follow a power law"
                 : law_in_words("row", rows) + ", " + law_in_words("column", columns);
        notes.push_back(
            "assumed: " + law + (lengths.empty() ? "" : ", and ") + join(lengths, " and ") +
            (shape.published || fields.empty() ? ""
                                               : " (known? say " + join(fields, " and ") + ")"));
    }
}

/// Where ids count all pages, a table with a place for each is larger.
void note_table_rows(const WorkloadShape& shape, std::vector<std::string>& notes)
{
    if (shape.table_rows == shape.rows && shape.test_rows > 0) {
        notes.push_back(
            "assumed: the row table holds the " + in_thousands(shape.rows) +
            " rows that are trained on; with the " + in_thousands(shape.test_rows) +
            " that are only tested it would be " +
            percent(static_cast<double>(shape.test_rows) / static_cast<double>(shape.rows)) +
            " larger, in HBM and in each copy");
    }
}

void note_chain(const char* kind, const SideBatches& side, int devices,
                std::vector<std::string>& notes)
{
    if (side.longest_chain > ceil_divide(side.batches, devices)) {
        notes.push_back(std::string("the longest ") + kind + " fills " +
                        in_thousands(side.longest_chain) +
                        " batches of one device, one after another, while all others would take " +
                        in_thousands(ceil_divide(side.batches, devices)) +
                        ": more cores make the " + kind + " half no shorter, larger batches do");
    }
}

} // namespace

std::optional<workloads::LeftOut> links_cut_off(const Job& job)
{
    const double rows = job.program.rows.links_lost;
    const double columns = job.program.columns.links_lost;
    if (rows <= 0 && columns <= 0) {
        return std::nullopt;
    }
    const bool alike = job.config.batch.slots() == job.config.column_batch.slots();
    return workloads::LeftOut{
        (rows + columns) / 2,
        percent(rows) + " of row links and " + percent(columns) +
            " of column links are cut off: a row keeps the links that fit a batch, " +
            capacity_in_words(job.config.batch) +
            (alike ? "" : ", a column " + capacity_in_words(job.config.column_batch)) +
            "; \"long_rows\": \"split\" (with \"semantics\": \"clean\") loses none"};
}

std::vector<std::string> row_length_notes(const Job& job)
{
    std::vector<std::string> notes;
    if (job.shape) {
        note_assumed_lengths(job, notes);
        note_table_rows(*job.shape, notes);
    }
    note_chain("row", job.program.rows, job.mesh.devices, notes);
    note_chain("column", job.program.columns, job.mesh.devices, notes);
    return notes;
}

} // namespace alxsim::alx
