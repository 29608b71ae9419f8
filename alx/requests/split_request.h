// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/data/times/later_links.h"
#include "alx/requests/dataset_fields.h"

#include <string>

namespace alxsim::alx {

// What a study says of `workload.split`.

/// Throws InputError unless the fields are those of the split's kind, and the data can be parted
/// so.
void check_split(const DatasetRequest& dataset, const SplitRequest& split);

/// Whether whole rows are held out, as far as no test file says which.
bool holds_out_rows(const SplitRequest& split);
/// Share of the rows with enough links that is tested on; what is not given filled in.
double test_share(const SplitRequest& split);
std::int64_t test_row_links(const SplitRequest& split);

/// What a split by whole rows holds out; what is not given filled in.
SplitConfig split_config_of(const SplitRequest& split);

/// What a split by time, or of last links, holds out; what is not given filled in.
LaterLinksConfig later_links_config_of(const SplitRequest& split);

/// Links that were read from the dataset's file or made, parted as `split` says, which names no
/// test file; `ids` are those of the file. With `validation`, what is left for training is parted
/// once more. Throws InputError as hold_out_later_links() and link_times(), and where no test row
/// is left.
Dataset parted(SparseMatrix matrix, const KeptIds& ids, const DatasetRequest& dataset,
               const SplitRequest& split, const std::string& file);

} // namespace alxsim::alx
