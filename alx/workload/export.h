// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/requests/asked_rows.h"
#include "alx/training/training.h"
#include "base/json_document.h"

#include <set>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Writes what a training run computed as files: rows, columns, rows_after_first_half,
/// gramian_rows, gramian_columns as `.npy` (f8 for f64 tables, else f4; without the rows that fill
/// the shards); cg_iterations [half][step][device], batches_{rows,columns,test} (without device
/// padding), recommendations of the test rows by the source's ids, and metrics as `.json`;
/// recommendations as
/// `.csv`, too: a line for each, with names where the dataset has some, without columns that have
/// no links (places stay those of the ranking). These stand in row_names and column_names, one for
/// each row of a table (an id where one has none). Where tables and batches have other ids than the
/// source, row_ids and column_ids tell the source's, in the order of the tables' rows. Ids within
/// batches are places in the tables.
class Export {
public:
    /// What there is to be wanted.
    static std::vector<std::string> names();

    /// `wanted`: some of names(); empty: everything. Watches the run from now on. All referenced
    /// objects outlive it.
    Export(std::string folder, const std::vector<std::string>& wanted, const AlxConfig& config,
           const Dataset& data, const SourceNames& names, TrainingRun& run);

    /// When the run is over. Makes the folder.
    void write() const;

private:
    bool wants(const char* what) const { return wanted_.count(what) > 0; }
    void write_table(const std::string& name, const std::vector<double>& values,
                     std::int64_t rows) const;
    void write_json(const std::string& name, const Json& document) const;
    void write_ids() const;
    void write_names() const;
    /// Whether it is no row that fills a shard, which the released code recommends, too.
    bool is_column(std::int32_t id) const { return id < data_.training.columns; }
    void write_recommendations_csv(const Recommendations& all) const;
    void write_batches() const;
    Json recommendations(const Recommendations& all) const;
    Json metrics() const;

    std::string folder_;
    std::set<std::string> wanted_;
    const AlxConfig& config_;
    const Dataset& data_;
    const SourceNames& names_;
    TrainingRun& run_;
    std::vector<double> rows_after_first_half_;
    std::vector<double> objectives_; ///< before training and after each half
};

} // namespace alxsim::alx
