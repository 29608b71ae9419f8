// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/notes/unlinked_notes.h"

#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/text/printed.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Ids of rows or of columns.
struct Ids {
    std::int64_t all = 0;
    std::int64_t unlinked = 0;

    std::int64_t linked() const { return all - unlinked; }
};

Ids ids_of(std::int64_t of_data, const std::vector<std::int32_t>& unlinked, bool left_out)
{
    const auto count = static_cast<std::int64_t>(unlinked.size());
    return {of_data + (left_out ? count : 0), count};
}

std::string counted(const Ids& ids, const std::string& kind)
{
    return in_thousands(ids.unlinked) + " of " + in_thousands(ids.all) + " " + kind;
}

/// `links`: what they have none of.
std::string left_out_note(const Ids& rows, const Ids& columns, const std::string& links)
{
    std::vector<std::string> words;
    if (rows.unlinked > 0) {
        words.push_back(counted(rows, "rows"));
    }
    if (columns.unlinked > 0) {
        words.push_back(counted(columns, "columns"));
    }
    return join(words, " and ") + " have no " + links +
           ": they are left out, and weigh in no size, regularizer, memory or time";
}

/// `kind`: of which ids have no links; `solved`: the other side, in whose systems their number
/// stands. A system's regularizer is reg (links + alpha ids): solvers/normal_equations.h.
std::string counted_note(const Ids& ids, const std::string& kind, const std::string& solved,
                         const Ids& others, const Dataset& data, const AlxConfig& config,
                         const DeviceMesh& mesh)
{
    const double mean_links = static_cast<double>(data.training.links()) /
                              static_cast<double>(std::max<std::int64_t>(1, others.linked()));
    const auto regularizer = [&](std::int64_t count) {
        return printed("%.3g",
                       config.reg * (mean_links + config.alpha * static_cast<double>(count)));
    };
    const std::int64_t shards = std::int64_t{mesh.row_shards} * mesh.embedding_shards;
    const Bytes memory =
        model::size_of(config.table_dtype) * ceil_divide(ids.unlinked * config.dim, shards);
    return counted(ids, kind + "s") + " have no links, and count (as in the released code): a " +
           solved + " of mean length has the regularizer reg x (links + alpha x " + kind +
           "s) = " + regularizer(ids.all) + " instead of " + regularizer(ids.linked()) +
           (config.semantics.phantom_rows == PhantomRows::random
                ? ", the Gramian holds alpha times their random numbers"
                : "") +
           ", and they take " + memory_in_words(memory) + " of a core's " + kind + " table" +
           (kind == "column" ? "; they may be recommended, too" : "") +
           ". \"semantics\": \"clean\" leaves them out, or \"unlinked_ids\" of the switches";
}

} // namespace

std::vector<std::string> unlinked_notes(const Dataset& data, const AlxConfig& config,
                                        const DeviceMesh& mesh)
{
    std::vector<std::string> notes;
    const bool left_out = data.unlinked.left_out;
    const Ids rows = ids_of(data.training.rows, data.unlinked.rows, left_out);
    const Ids columns = ids_of(data.training.columns, data.unlinked.columns, left_out);
    if (left_out && rows.unlinked + columns.unlinked > 0) {
        notes.push_back(
            left_out_note(rows, columns, data.split_as.empty() ? "links" : "links to train on"));
    }
    if (!left_out && rows.unlinked > 0) {
        notes.push_back(counted_note(rows, "row", "column", columns, data, config, mesh));
    }
    if (!left_out && columns.unlinked > 0) {
        notes.push_back(counted_note(columns, "column", "row", rows, data, config, mesh));
    }
    return notes;
}

} // namespace alxsim::alx
