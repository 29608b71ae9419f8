// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/top_k.h"
#include "alx/workload/numbered_works.h"
#include "alx/workload/resources.h"
#include "base/input_error.h"
#include "base/npy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::alx {
namespace {

const char* const command_line = "OP"; ///< names the op's JSON in errors

/// What a top_k is asked for.
struct TopKRequest {
    int k = 0;
    bool approximate = false;
    std::int64_t shards = 1;
    bool merge = false;
    std::int64_t shard_columns = 0; ///< of each shard
};

/// How the columns are cut: M shards of n / M + 1. Throws InputError for what the released code
/// cannot do.
TopKRequest top_k_request(const Json& op, const NpyMatrix& scores, const std::string& path)
{
    TopKRequest request{op.at("k").get<int>(), op.value("approximate", false),
                        op.value("shards", std::int64_t{1}), false, scores.columns};
    request.merge = op.value("merge", request.shards > 1);
    if (!request.merge && request.shards > 1) {
        throw InputError(command_line, "/merge",
                         "found false with " + std::to_string(request.shards) +
                             " shards; allowed: true, or one shard");
    }
    const std::int64_t columns = op.value("columns", scores.columns);
    if (request.shards > 1) {
        request.shard_columns = columns / request.shards + 1;
    }
    const std::int64_t most =
        op.contains("columns") ? request.shards * (columns / request.shards + 1) : columns;
    if (scores.columns < columns || scores.columns > most) {
        throw InputError(path, "",
                         "found the shape " + npy_shape_text(scores.shape) + "; needed: " +
                             std::to_string(columns) + " to " + std::to_string(most) +
                             " columns (\"columns\", and the phantom ones of the shards)");
    }
    if (!request.approximate && request.k > request.shard_columns) {
        throw InputError(command_line, "/k",
                         "found " + std::to_string(request.k) + "; allowed: up to " +
                             std::to_string(request.shard_columns) + ", the columns of a shard");
    }
    return request;
}

/// The best of one shard's scores, whose first column is `first`.
std::vector<Scored> best_of(const std::vector<float>& scores, const TopKRequest& request,
                            std::int64_t first)
{
    const auto offset = static_cast<std::int32_t>(first);
    if (request.approximate) {
        std::vector<Scored> best = approximate_top_k(scores, request.k);
        for (Scored& one : best) {
            one.id += offset;
        }
        return best;
    }
    TopK top(request.k);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        top.offer(scores[i], offset + static_cast<std::int32_t>(i));
    }
    return top.take();
}

/// The best of one row. Columns that the last shards have too many score -inf.
std::vector<Scored> best_of_row(const float* row, std::int64_t columns, const TopKRequest& request)
{
    std::vector<std::vector<Scored>> lists;
    for (std::int64_t shard = 0; shard < request.shards; ++shard) {
        const std::int64_t first = shard * request.shard_columns;
        const std::int64_t begin = std::min(first, columns);
        std::vector<float> scores(row + begin,
                                  row + std::min(first + request.shard_columns, columns));
        scores.resize(static_cast<std::size_t>(request.shard_columns),
                      -std::numeric_limits<float>::infinity());
        lists.push_back(best_of(scores, request, first));
    }
    return request.merge ? merge_shards(lists, request.k) : lists.front();
}

/// The scores as f32. Throws InputError unless they are [q, n] of f4 without NaN.
std::vector<float> scores_of(const NpyMatrix& array, const std::string& path)
{
    if (array.shape.size() != 2 || array.columns < 1 || array.number != NpyNumber::f4 ||
        array.columns > std::numeric_limits<std::int32_t>::max() / 2) {
        throw InputError(path, "",
                         "found the shape " + npy_shape_text(array.shape) + " of " +
                             (array.number == NpyNumber::f4 ? "f4" : "f8") +
                             "; needed: (queries, columns) of f4");
    }
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        if (std::isnan(array.values[i])) {
            const auto columns = static_cast<std::size_t>(array.columns);
            throw InputError(path, "",
                             "row " + std::to_string(i / columns) + ", column " +
                                 std::to_string(i % columns) + " is NaN, which has no rank");
        }
    }
    return {array.values.begin(), array.values.end()};
}

/// The best k of each row of `op`, by the released code's rules. Scores of -inf are null.
workloads::NumberedWork::Result top_k(const Json& op, const std::string& /*output*/)
{
    const auto path = op.at("scores").get<std::string>();
    const NpyMatrix array = read_npy_array(path);
    const std::vector<float> scores = scores_of(array, path);
    const TopKRequest request = top_k_request(op, array, path);
    Json result{{"ids", Json::array()}, {"scores", Json::array()}};
    for (std::int64_t row = 0; row < array.rows; ++row) {
        Json ids = Json::array();
        Json best = Json::array();
        for (const Scored& one :
             best_of_row(scores.data() + row * array.columns, array.columns, request)) {
            ids.push_back(one.id);
            best.push_back(one.score);
        }
        result["ids"].push_back(ids);
        result["scores"].push_back(best);
    }
    return {result, nullptr};
}

} // namespace

workloads::NumberedWork top_k_work()
{
    return {
        std::string(resources().get("workload/schema/op_top_k.schema.json")), false, top_k,
        "  top_k        scores (queries, columns) of f4, k [approximate false]: ids and scores of\n"
        "               each row's best by the released code's rules (no times); equals: lower id\n"
        "               first, or the last window; [shards 1] of columns / shards + 1 columns, "
        "whose\n"
        "               lists are merged, equals: larger place in the lists first; [merge]: true\n"
        "               merges one shard too; [columns]: n, if the file has phantom columns as "
        "well\n"
        "               like: alxsim op '{\"work\":\"top_k\",\"scores\":\"scores.npy\",\"k\":10}' "
        "--json\n"};
}

} // namespace alxsim::alx
