// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/requests/dataset_fields.h"

#include <map>
#include <variant>
#include <vector>

/// What a study's point says of an ALX job, read once, defaults filled in. What is absent is what
/// depends on other fields; alx/workload/schema/workload.schema.json says how.
namespace alxsim::alx {

struct AssumedIterations {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct CgRequest {
    double tolerance = 0;
    std::optional<int> max_iterations;
    std::optional<AssumedIterations> assumed_iterations;
};

struct OverlapRequest {
    std::string kind;
    int depth = 1;
};

struct AssumedTrafficRequest {
    double distinct_factor = 1;
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
    std::optional<std::string> psum_rounding;
    std::optional<std::string> eval_reg;
    std::optional<std::string> score_dtype;
    std::optional<bool> donate;
};

struct InitialRequest {
    double stddev = 0;
    bool divide_by_sqrt_dim = false;
    bool tied = false;
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
    int dim = 0;
    int epochs = 0;
    double reg = 0;
    double alpha = 0;
    std::string solver;
    CgRequest cg;
    std::string table_dtype;
    std::optional<std::string> solve_dtype;
    std::optional<Json> matmul_passes; ///< a number, or "exact"
    std::string gather;
    std::map<std::string, std::int64_t> gather_options; ///< what stands under the gather's name
    std::string scatter;
    std::string placement;
    std::string statistics;
    OverlapRequest overlap;
    std::optional<std::vector<std::string>> group_axes;
    std::vector<std::string> embedding_axes;
    std::string core_order;
    AssumedTrafficRequest assumed_traffic;
    std::optional<std::string> semantics;
    SwitchesRequest switches;
    InitialRequest initial;
    InitialTablesRequest initial_tables;
    BatchRequest batch;
    std::optional<BatchRequest> column_batch;
    std::optional<std::string> long_rows;
    InputRequest input;
};

struct EvaluationSizes {
    std::int64_t lines = 0;
    std::int64_t rows = 0;
    std::int64_t ground_truth_lines = 0;
};

/// Rows whose recommendations are told, each by its name or its id.
struct RecommendRequest {
    std::vector<Json> rows;
    std::optional<std::size_t> k;
};

struct EvaluationRequest {
    int every = 1;
    int top_k = 0;
    bool approximate = false;
    std::optional<RecommendRequest> recommend;
    std::vector<std::string> metrics;
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
};

/// Of a point whose fields obey the schema. Throws InputError, without a file, for a number beyond
/// what its field holds.
PointRequest point_request(const Json& point);

} // namespace alxsim::alx
