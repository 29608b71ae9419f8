// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"
#include "alx/data/filtered_rows.h"
#include "alx/sparse_matrix.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// When a link was made; of one that stands in the file more than once, first.
struct LinkTime {
    double time = 0;
    std::int64_t place = 0; ///< its line's among those of the file: of equal times, which is later
    std::int64_t repeats = 0; ///< further lines of the same link

    LinkTime() = default;
    LinkTime(double when, std::int64_t at = 0, std::int64_t again = 0)
        : time(when),
          place(at),
          repeats(again)
    {
    }
};

/// Those of a matrix, [links], in the order of its rows and of their columns.
using LinkTimes = std::vector<LinkTime>;

/// The times of what was read from a file, and then filtered: `kept` are its ids in the file. Reads
/// the file again, with 24 bytes of memory for each line. Throws InputError as
/// DatasetReader::read_times(), and for a pipe, which cannot be read twice.
LinkTimes link_times(const DatasetFile& file, const SparseMatrix& matrix, const KeptIds& kept);

/// Whether a file, which may be a pipe, tells times.
bool tells_link_times(const DatasetFile& file);

} // namespace alxsim::alx
