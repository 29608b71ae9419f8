// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/data/times/link_times.h"

#include <cstdint>
#include <optional>

namespace alxsim::alx {

/// Weak generalization: of rows that are trained on, later links are to be found. Training and the
/// history of a test row hold the same links of it.
struct LaterLinksConfig {
    bool at_one_time = true;      ///< a cut in time for all rows; else the last links of each row
    double held_out_links = 0.25; ///< of a cut: the share of all links that lie at or behind it
    std::optional<double> at;     ///< of a cut: where it lies, in place of a share
    std::int64_t last_links = 1;  ///< of each row: how many
    double test_rows = 1;         ///< share of the eligible rows that are tested on
    std::int64_t min_links = 5;   ///< a test row has so many: before a cut, or in all
    std::uint64_t seed = 1; ///< which rows are tested, and which links where there are no times
};

/// A data set so parted, and the times of its training links, from which a validation set may be
/// parted in turn.
struct LaterLinks {
    Dataset data;
    LinkTimes training_times;
};

/// `times` may be empty where each row's last links are held out: they are drawn then. Links of
/// equal time at the cut are later ones; among a row's, those of later lines. Later links of rows
/// that are not tested are dropped where time is cut, and trained on where it is not. Throws
/// InputError where no link lies before the cut.
LaterLinks hold_out_later_links(const SparseMatrix& matrix, const LinkTimes& times,
                                const LaterLinksConfig& config);

} // namespace alxsim::alx
