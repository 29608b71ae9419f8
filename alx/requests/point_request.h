// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/requests/dataset_fields.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

/// What a study's point says of an ALX job, read once, defaults filled in. What is absent is what
/// depends on other fields; point_request.cpp says how.
namespace alxsim::alx {

/// What a study leaves out.
inline const AlxConfig& usual_config()
{
    static const AlxConfig config;
    return config;
}

struct AssumedIterations {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct CgRequest {
    double tolerance = usual_config().cg.tolerance;
    std::optional<int> max_iterations;
    std::optional<AssumedIterations> assumed_iterations;
};

struct OverlapRequest {
    std::string kind = "none";
    int depth = 1;
};

struct TableTierRequest {
    std::string updated = "hbm";
    std::string fixed = "hbm";
};

struct AssumedTrafficRequest {
    double distinct_factor = usual_config().assumed_traffic.distinct_factor;
    std::optional<double> local_share;
    std::optional<double> row_imbalance;
    std::optional<double> column_imbalance;
};

/// Where the job parts from what its semantics say.
struct SwitchesRequest {
    std::optional<std::string> phantom_rows;
    std::optional<bool> phantom_candidates;
    std::optional<std::string> admission;
    std::optional<std::string> device_padding;
    std::optional<std::string> solution_cast;
    std::optional<std::string> residual;
    std::optional<std::string> gramian_dtype;
    std::optional<std::string> unlinked_ids;
    std::optional<std::string> psum_rounding;
    std::optional<std::string> eval_reg;
    std::optional<std::string> score_dtype;
    std::optional<bool> donate;
};

struct InitialRequest {
    double stddev = usual_config().initial.stddev;
    bool divide_by_sqrt_dim = usual_config().initial.divide_by_sqrt_dim;
    bool tied = usual_config().initial.tied;
};

/// Files.
struct InitialTablesRequest {
    std::optional<std::string> rows;
    std::optional<std::string> columns;
};

struct BatchSizes {
    std::optional<std::int64_t> lines;
    std::optional<std::int64_t> line_length;
    std::optional<std::int64_t> rows;
};

/// "auto", "tuned", or sizes.
using BatchRequest = std::variant<std::string, BatchSizes>;

struct InputRequest {
    std::optional<double> ids_per_second;
    std::optional<double> bytes_per_second;
    std::optional<std::string> reads;
};

struct AlxRequest {
    int dim = usual_config().dim;
    int epochs = usual_config().epochs;
    double reg = usual_config().reg;
    double alpha = usual_config().alpha;
    std::string weights = "ignore";
    std::string solver = usual_config().solver;
    CgRequest cg;
    std::string table_dtype = "bf16";
    std::optional<std::string> solve_dtype;
    std::optional<Json> matmul_passes; ///< a number, or "exact"
    std::string gather = usual_config().gather;
    std::map<std::string, std::int64_t> gather_options; ///< what stands under the gather's name
    std::string scatter = usual_config().scatter;
    std::string placement = usual_config().placement;
    std::string statistics = usual_config().statistics;
    OverlapRequest overlap;
    TableTierRequest table_tier;
    std::optional<std::vector<std::string>> group_axes;
    std::vector<std::string> embedding_axes;
    std::string core_order = "row_major";
    AssumedTrafficRequest assumed_traffic;
    std::optional<std::string> semantics;
    SwitchesRequest switches;
    InitialRequest initial;
    InitialTablesRequest initial_tables;
    BatchRequest batch = "auto";
    std::optional<BatchRequest> column_batch;
    std::optional<std::string> long_rows;
    InputRequest input;
};

struct EvaluationSizes {
    std::int64_t lines = EvaluationBatch().lines;
    std::int64_t rows = EvaluationBatch().rows;
    std::int64_t ground_truth_lines = EvaluationBatch().ground_truth_lines;
};

/// Rows whose recommendations are told, each by its name or its id.
struct RecommendRequest {
    std::vector<Json> rows;
    std::optional<std::size_t> k;
};

struct EvaluationRequest {
    int every = usual_config().evaluation.every;
    int top_k = usual_config().evaluation.top_k;
    bool approximate = usual_config().evaluation.approximate;
    std::optional<double> target_recall_at_20; ///< for reports alone
    std::optional<RecommendRequest> recommend;
    std::vector<std::string> metrics;
    std::optional<bool> keep_best;
    std::optional<int> stop_after;
    std::optional<EvaluationSizes> batch;
};

struct WorkloadRequest {
    DatasetRequest dataset;
    Json dataset_as_given = Json::object(); ///< the same, for what repeats it
    std::optional<SplitRequest> split;
    AlxRequest alx;
    EvaluationRequest evaluation;
};

struct PointRequest {
    std::uint64_t seed = 1;
    bool numerics = true;
    WorkloadRequest workload;
    std::string text; ///< that it was read from: requests with equal ones say the same
};

/// Reads a point whose fields obey the schema. Throws InputError, without a file, for a number
/// beyond what its field holds.
PointRequest point_request(const Json& point);

/// The fields of a study's /workload, each with its JSON Schema.
Json workload_fields();

} // namespace alxsim::alx
