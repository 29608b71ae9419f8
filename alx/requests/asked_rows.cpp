// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/asked_rows.h"

#include "alx/requests/dataset_request.h"
#include "base/input_error.h"
#include "base/paths.h"

#include <algorithm>
#include <optional>

namespace alxsim::alx {
namespace {

constexpr const char* asked_place = "/workload/evaluation/recommend";

Json called(const Names& names, std::int32_t id, std::int64_t first_id)
{
    const std::optional<std::string> name = names.of(id);
    return name ? Json(*name) : Json(id + first_id);
}

/// The source's id, from 0, of a row that is asked for by its name, or its id in the file.
std::int64_t source_id_of(const Json& row, const SourceNames& names, const std::string& place)
{
    if (row.is_number()) {
        return row.get<std::int64_t>() - names.first_id;
    }
    const auto name = row.get<std::string>();
    const std::optional<std::int32_t> id = names.rows.find(name);
    if (!id) {
        throw InputError("", place,
                         "found " + row.dump() +
                             (names.rows.empty()
                                  ? "; allowed: numbers, or names with /workload/dataset/names"
                                  : ", which is no name of a row"));
    }
    return *id;
}

/// Our id of it; none where the data do not have it.
std::optional<std::int32_t> own_id(std::int64_t id, const Dataset& data)
{
    const std::vector<std::int32_t>& kept = data.source_ids.rows;
    if (!kept.empty()) {
        const auto place = std::lower_bound(kept.begin(), kept.end(), id);
        return place == kept.end() || *place != id
                   ? std::nullopt
                   : std::optional(static_cast<std::int32_t>(place - kept.begin()));
    }
    const bool is_row = id >= 0 && id < data.training.rows;
    const bool is_test_row = std::binary_search(data.test_rows.begin(), data.test_rows.end(), id);
    return is_row || is_test_row ? std::optional(static_cast<std::int32_t>(id)) : std::nullopt;
}

/// Counts rows or columns: one more than the largest id that the source has in use.
std::int64_t source_count(const std::vector<std::int32_t>& kept, std::int32_t count)
{
    return kept.empty() ? count : std::int64_t{kept.back()} + 1;
}

/// A file of the other side's names would tell wrong ones. No names at all are no fault.
void expect_enough(const Names& names, std::int64_t count, const std::string& side,
                   const std::string& file)
{
    if (!names.empty() && !names.is_table() && static_cast<std::int64_t>(names.size()) < count) {
        throw InputError(file, "/workload/dataset/names",
                         "found " + std::to_string(names.size()) + " names for " +
                             std::to_string(count) + " " + side + "; allowed: a name for each");
    }
}

/// A table of other ids names none of the data's.
void expect_some(const Names& names, const std::vector<std::int32_t>& kept, std::int32_t count,
                 const std::string& side, const std::string& file)
{
    for (std::int32_t id = 0; id < count && names.is_table(); ++id) {
        if (names.of(source_id(kept, id))) {
            return;
        }
    }
    if (names.is_table()) {
        throw InputError(file, "/workload/dataset/names",
                         "found a table of " + std::to_string(names.size()) +
                             " names, none of which is a " + side +
                             "'s; allowed: a table of the ids that the links' file has");
    }
}

} // namespace

Json SourceNames::row(std::int32_t id) const
{
    return called(rows, source_id(ids.rows, id), first_id);
}

Json SourceNames::column(std::int32_t id) const
{
    return called(columns.empty() ? rows : columns, source_id(ids.columns, id), first_id);
}

SourceNames source_names(const DatasetRequest& dataset, const std::string& file,
                         const Dataset& data)
{
    const KeptIds& ids = data.source_ids;
    SourceNames names;
    names.ids = ids;
    names.first_id = data.first_source_id;
    if (!dataset.names) {
        return names;
    }
    const auto load = [&](const std::optional<std::string>& path) {
        return path ? Names::load(resolve_path(*path, file), names.first_id) : Names();
    };
    names.rows = load(dataset.names->rows);
    names.columns = load(dataset.names->columns);
    const Names& of_columns = names.columns.empty() ? names.rows : names.columns;
    expect_enough(names.rows, source_count(ids.rows, data.training.rows), "rows", file);
    expect_enough(of_columns, source_count(ids.columns, data.training.columns), "columns", file);
    expect_some(names.rows, ids.rows, data.training.rows, "row", file);
    expect_some(of_columns, ids.columns, data.training.columns, "column", file);
    return names;
}

std::vector<std::string> missing_names_notes(const SourceNames& names, const Dataset& data)
{
    std::vector<std::string> notes;
    const auto tell = [&](const Names& table, const std::vector<std::int32_t>& kept,
                          std::int32_t count, const auto& is_unlinked, const std::string& side) {
        std::int64_t missing = 0;
        std::int64_t linked = 0;
        std::optional<std::int64_t> first;
        for (std::int32_t id = 0; id < count && table.is_table(); ++id) {
            if (is_unlinked(id)) {
                continue;
            }
            ++linked;
            if (!table.of(source_id(kept, id))) {
                ++missing;
                first = first.value_or(std::int64_t{source_id(kept, id)} + names.first_id);
            }
        }
        if (missing > 0) {
            notes.push_back(
                "/workload/dataset/names: " + std::to_string(missing) + " of " +
                std::to_string(linked) + " " + side + "s have no name in their table, " + side +
                " " + std::to_string(*first) + " the first: are its ids those of the links' file?");
        }
    };
    tell(
        names.rows, data.source_ids.rows, data.training.rows,
        [&](std::int32_t id) { return data.training.length(id) == 0; }, "row");
    tell(
        names.columns, data.source_ids.columns, data.training.columns,
        [&](std::int32_t id) { return data.unlinked.have_column(id); }, "column");
    return notes;
}

AskedRows asked_rows(const EvaluationRequest& evaluation, const std::string& file,
                     const Dataset& data, const SourceNames& names)
{
    AskedRows asked;
    if (!evaluation.recommend) {
        return asked;
    }
    const auto top_k = static_cast<std::size_t>(evaluation.top_k);
    asked.k = evaluation.recommend->k.value_or(top_k);
    if (asked.k > top_k) {
        throw InputError(file, std::string(asked_place) + "/k",
                         "found " + std::to_string(asked.k) + "; allowed: up to the " +
                             std::to_string(top_k) + " of /workload/evaluation/top_k");
    }
    const std::vector<Json>& rows = evaluation.recommend->rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string place = std::string(asked_place) + "/rows/" + std::to_string(i);
        const auto id = own_id(source_id_of(rows[i], names, place), data);
        if (!id) {
            throw InputError(
                file, place,
                "found " + rows[i].dump() +
                    ", a row that the data do not have, that has no links, or that their "
                    "filter drops" +
                    (data.split_as.empty() ? ""
                                           : ", or all of whose links lie behind the split's cut, "
                                             "so that nothing is known of it"));
        }
        asked.rows.push_back(*id);
    }
    return asked;
}

SparseMatrix histories_of(const AskedRows& asked, const Dataset& data)
{
    SparseMatrix histories;
    histories.columns = data.training.columns;
    auto weights = std::make_shared<LinkWeights>();
    for (const std::int32_t row : asked.rows) {
        const auto test = std::lower_bound(data.test_rows.begin(), data.test_rows.end(), row);
        const bool is_test_row = test != data.test_rows.end() && *test == row;
        const SparseMatrix& links = is_test_row ? data.history : data.training;
        const auto own =
            is_test_row ? static_cast<std::int32_t>(test - data.test_rows.begin()) : row;
        histories.append(links.ids(own));
        if (const float* const begin = links.weights_of(own)) {
            weights->values.insert(weights->values.end(), begin, begin + links.length(own));
            weights->end_row();
        }
    }
    if (data.training.weights) {
        histories.weights = std::move(weights);
    }
    return histories;
}

Json recommended_json(const AskedRows& asked, const SparseMatrix& histories,
                      const Recommendations& recommendations, const SourceNames& names,
                      const UnlinkedIds& unlinked)
{
    Json all = Json::array();
    for (std::size_t i = 0; i < asked.rows.size(); ++i) {
        Json row{{"row", names.row(asked.rows[i])},
                 {"known_links", histories.length(static_cast<std::int32_t>(i))},
                 {"columns", Json::array()},
                 {"scores", Json::array()}};
        for (const Scored& one : recommendations.at(i)) {
            // Released ALX may recommend what nobody has.
            const bool phantom = one.id >= histories.columns || unlinked.have_column(one.id);
            if (!phantom && row.at("columns").size() < asked.k) {
                row.at("columns").push_back(names.column(one.id));
                row.at("scores").push_back(one.score);
            }
        }
        all.push_back(std::move(row));
    }
    return all;
}

} // namespace alxsim::alx
