// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/evaluation/evaluation.h"
#include "alx/names/names.h"
#include "alx/requests/point_request.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// What the source of a dataset calls its rows and columns; without names, by its own ids.
struct SourceNames {
    Names rows;
    Names columns;
    KeptIds ids;
    std::int64_t first_id = 0; ///< what the source calls the id 0

    /// A name, or else the source's id.
    Json row(std::int32_t id) const;
    Json column(std::int32_t id) const;
    bool given() const { return !rows.empty() || !columns.empty(); }
};

/// Reads /workload/dataset/names: files of names, of both or one for both. Throws InputError, also
/// for fewer names than there are rows or columns.
SourceNames source_names(const DatasetRequest& dataset, const std::string& file,
                         const Dataset& data);

/// A note for rows, and one for columns, of which a table names some and not others: it may be one
/// of other ids.
std::vector<std::string> missing_names_notes(const SourceNames& names, const Dataset& data);

/// Rows that a study wants recommendations for: /workload/evaluation/recommend.
struct AskedRows {
    std::vector<std::int32_t> rows; ///< by our ids
    std::size_t k = 0;              ///< columns recommended to each
};

/// Empty where the study asks for none. Throws InputError for a row that the data do not have.
AskedRows asked_rows(const EvaluationRequest& evaluation, const std::string& file,
                     const Dataset& data, const SourceNames& names);

/// [asked rows x columns]: the links by which each is folded in. Of a test row its history, else
/// what it has in training.
SparseMatrix histories_of(const AskedRows& asked, const Dataset& data);

/// For a report: row, known links, columns and scores of each; no column without links.
Json recommended_json(const AskedRows& asked, const SparseMatrix& histories,
                      const Recommendations& recommendations, const SourceNames& names,
                      const UnlinkedIds& unlinked);

} // namespace alxsim::alx
