// SPDX-License-Identifier: Apache-2.0
#include "alx/data/weighted_links.h"

#include "alx/data/split.h"
#include "base/input_error.h"
#include "base/work/stop.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace alxsim::alx {
namespace {

std::int32_t source_of(const std::vector<std::int32_t>& kept, std::int32_t id)
{
    return kept.empty() ? id : kept[static_cast<std::size_t>(id)];
}

[[noreturn]] void refuse_unknown(std::int64_t row, std::int64_t column)
{
    throw InputError("", "/workload/alx/weights",
                     "found confidence with a test_file by which row " + std::to_string(row) +
                         " is known by column " + std::to_string(column) +
                         ", a link without a weight, as it is none of the dataset's file; allowed: "
                         "histories of links that stand there, or a split by kind");
}

/// `source_row(r)`: what the file calls row r, as if it counted from 0.
template <class SourceRow>
void weigh_matrix(SparseMatrix& matrix, const Dataset& data, const WeightedLinks& weighted,
                  const SourceRow& source_row)
{
    auto weights = std::make_shared<LinkWeights>();
    std::vector<std::int32_t> ids;
    StopLook stop;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        stop();
        matrix.read(row, ids);
        for (const std::int32_t id : ids) {
            const std::int32_t column = source_of(data.source_ids.columns, id);
            const std::optional<float> weight = weighted.weight(source_row(row), column);
            if (!weight) {
                refuse_unknown(source_row(row) + data.first_source_id,
                               column + data.first_source_id);
            }
            weights->values.push_back(*weight);
        }
        weights->end_row();
    }
    matrix.weights = std::move(weights);
}

} // namespace

void WeightedLinks::finish()
{
    std::stable_sort(links_.begin(), links_.end(), before);
    std::size_t kept = 0;
    for (const Link& link : links_) {
        if (kept > 0 && !before(links_[kept - 1], link)) {
            links_[kept - 1].weight += link.weight;
        } else {
            links_[kept++] = link;
        }
    }
    links_.resize(kept);
}

std::optional<float> WeightedLinks::weight(std::int32_t row, std::int32_t column) const
{
    const auto link = std::lower_bound(links_.begin(), links_.end(), Link{row, column, 0}, before);
    if (link == links_.end() || link->row != row || link->column != column) {
        return std::nullopt;
    }
    return static_cast<float>(link->weight);
}

void weigh(Dataset& data, const WeightedLinks& weighted)
{
    const KeptIds& ids = data.source_ids;
    weigh_matrix(data.training, data, weighted,
                 [&](std::int32_t row) { return source_of(ids.rows, row); });
    weigh_matrix(data.history, data, weighted, [&](std::int32_t row) {
        return source_of(ids.rows, data.test_rows[static_cast<std::size_t>(row)]);
    });
}

} // namespace alxsim::alx
