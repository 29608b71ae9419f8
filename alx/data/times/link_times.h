// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"
#include "alx/data/filtered_rows.h"
#include "alx/sparse_matrix.h"

#include <vector>

namespace alxsim::alx {

/// When the links of a matrix were made, [links], in the order of its rows and of their columns. Of
/// a link that stands in the file more than once, the first time.
using LinkTimes = std::vector<double>;

/// The times of what was read from a file, and then filtered: `kept` are its ids in the file. Reads
/// the file again, with 16 bytes of memory for each line. Throws InputError as
/// DatasetReader::read_times(), and for a pipe, which cannot be read twice.
LinkTimes link_times(const DatasetFile& file, const SparseMatrix& matrix, const KeptIds& kept);

/// Whether a file, which may be a pipe, tells times.
bool tells_link_times(const DatasetFile& file);

} // namespace alxsim::alx
