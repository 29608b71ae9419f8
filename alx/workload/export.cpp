// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/export.h"

#include "alx/steps/half_batches.h"
#include "alx/workload/batches_json.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "base/npy.h"

#include <cstring>
#include <filesystem>
#include <utility>

namespace alxsim::alx {
namespace {

/// Without the batches that only pad the devices.
Json filled(const DenseBatches& batches, Json all)
{
    while (static_cast<std::int64_t>(all.size()) > batches.filled) {
        all.erase(all.size() - 1);
    }
    return all;
}

/// By RFC 4180: in quotes where it holds what ends a cell.
std::string csv_cell(const Json& value)
{
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

std::uint32_t bf16_bits(float score)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &score, sizeof bits);
    return bits >> 16;
}

} // namespace

std::vector<std::string> Export::names()
{
    return {"tables", "first_half", "gramians", "cg_iterations", "batches", "recommendations"};
}

Export::Export(std::string folder, const std::vector<std::string>& wanted, const AlxConfig& config,
               const Dataset& data, const SourceNames& names, TrainingRun& run)
    : folder_(std::move(folder)),
      config_(config),
      data_(data),
      names_(names),
      run_(run),
      objectives_{run.objective()}
{
    const std::vector<std::string> named = wanted.empty() ? Export::names() : wanted;
    wanted_.insert(named.begin(), named.end());
    run.on_half([this](std::int64_t half) {
        objectives_.push_back(run_.objective());
        if (half == 0 && wants("first_half")) {
            rows_after_first_half_ = run_.rows().own_rows();
        }
    });
}

void Export::write_table(const std::string& name, const std::vector<double>& values,
                         std::int64_t rows) const
{
    const bool in_f64 = config_.table_dtype == model::DType::f64;
    write_npy(folder_ + "/" + name + ".npy", {rows, config_.dim, values},
              in_f64 ? NpyNumber::f8 : NpyNumber::f4);
}

void Export::write_json(const std::string& name, const Json& document) const
{
    write_file_atomically(folder_ + "/" + name + ".json", document.dump() + "\n");
}

void Export::write() const
{
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) {
        throw InputError("--export", folder_,
                         "cannot be made a folder to write to: " + problem.message());
    }
    if (wants("tables")) {
        write_table("rows", run_.rows().own_rows(), run_.rows().count());
        write_table("columns", run_.columns().own_rows(), run_.columns().count());
    }
    if (!rows_after_first_half_.empty()) {
        write_table("rows_after_first_half", rows_after_first_half_, run_.rows().count());
    }
    if (wants("gramians")) {
        write_table("gramian_rows", run_.row_gramian(), config_.dim);
        write_table("gramian_columns", run_.column_gramian(), config_.dim);
    }
    if (wants("cg_iterations")) {
        write_json("cg_iterations", run_.iterations());
    }
    if (wants("batches")) {
        write_batches();
    }
    if (wants("recommendations") && !data_.test_rows.empty()) {
        const Recommendations all = run_.recommendations();
        write_json("recommendations", recommendations(all));
        write_recommendations_csv(all);
    }
    write_ids();
    write_names();
    write_json("metrics", metrics());
}

void Export::write_ids() const
{
    const auto write_side = [this](const std::string& name, const std::vector<std::int32_t>& ids) {
        if (!ids.empty()) {
            Json told = Json::array();
            for (const std::int32_t id : ids) {
                told.push_back(id + data_.first_source_id);
            }
            write_json(name, told);
        }
    };
    write_side("row_ids", data_.source_ids.rows);
    write_side("column_ids", data_.source_ids.columns);
}

void Export::write_names() const
{
    const auto write_side = [this](const std::string& name, const Names& given, std::int64_t count,
                                   const auto& called) {
        Json all = Json::array();
        for (std::int32_t id = 0; id < count && !given.empty(); ++id) {
            all.push_back(called(id));
        }
        if (!all.empty()) {
            write_json(name, all);
        }
    };
    write_side("row_names", names_.rows, data_.training.rows,
               [this](std::int32_t id) { return names_.row(id); });
    write_side("column_names", names_.columns, data_.training.columns,
               [this](std::int32_t id) { return names_.column(id); });
}

void Export::write_recommendations_csv(const Recommendations& all) const
{
    std::string text = "row,rank,column,score\n";
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string row = csv_cell(names_.row(data_.test_rows[i]));
        for (std::size_t rank = 0; rank < all[i].size(); ++rank) {
            const Scored& one = all[i][rank];
            if (!is_column(one.id) || data_.unlinked.have_column(one.id)) {
                continue; // nothing that anybody could be shown
            }
            text += row + "," + std::to_string(rank + 1) + "," + csv_cell(names_.column(one.id)) +
                    "," + Json(one.score).dump() + "\n";
        }
    }
    write_file_atomically(folder_ + "/recommendations.csv", text);
}

void Export::write_batches() const
{
    const DenseBatches& rows = run_.row_batches();
    const DenseBatches& columns = run_.column_batches();
    write_json("batches_rows", filled(rows, batches_json(rows, data_.training)));
    write_json("batches_columns", filled(columns, batches_json(columns, run_.links_by_column())));
    if (!data_.test_rows.empty()) {
        const DenseBatches tests = batch_test_rows(config_, data_, run_.rows().devices());
        write_json("batches_test", filled(tests, batches_json(tests, data_.history, data_.test_rows,
                                                              &data_.ground_truth,
                                                              ground_truth_lines(config_, data_))));
    }
}

Json Export::recommendations(const Recommendations& all) const
{
    constexpr auto recall = RankingMetric::Kind::recall;
    Json rows = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto place = static_cast<std::int32_t>(i);
        const SparseMatrix& truth = data_.ground_truth;
        Json row{{"row_id",
                  data_.first_source_id + source_id(data_.source_ids.rows, data_.test_rows[i])},
                 {"n_gt", truth.length(place)},
                 {"hits20", hits(truth, place, all[i], 20)},
                 {"hits50", hits(truth, place, all[i], 50)},
                 {"recall20", value_of({recall, 20}, truth, place, all[i])},
                 {"recall50", value_of({recall, 50}, truth, place, all[i])},
                 {"top_ids", Json::array()},
                 {"top_scores", Json::array()}};
        const bool in_bf16 = config_.semantics.score_dtype == ScoreDType::bf16;
        for (const Scored& one : all[i]) {
            if (!is_column(one.id)) {
                continue;
            }
            row["top_ids"].push_back(data_.first_source_id +
                                     source_id(data_.source_ids.columns, one.id));
            row["top_scores"].push_back(one.score);
            if (in_bf16) {
                row["top_scores_bf16_bits"].push_back(bf16_bits(one.score));
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json Export::metrics() const
{
    Json recalls = Json::array();
    for (const EpochQuality& quality : run_.quality()) {
        if (quality.ranking) { // recall@20 and @50 come first
            recalls.push_back(
                {quality.ranking->at(0), quality.ranking->at(1), data_.test_rows.size()});
        }
    }
    return {{"objective_by_half", objectives_}, {"recall_by_epoch", recalls}};
}

} // namespace alxsim::alx
