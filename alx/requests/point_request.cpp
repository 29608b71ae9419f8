// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/point_request.h"

namespace alxsim {
namespace json_fields {

template <>
struct Form<alx::BatchRequest> {
    static void read(const Json& json, alx::BatchRequest& batch)
    {
        if (json.is_string()) {
            batch = json.get<std::string>();
        } else {
            batch = value_of_json<alx::BatchSizes>(json);
        }
    }
};

} // namespace json_fields

namespace alx {

template <class Fields>
void list_fields(Fields& fields, AssumedIterations& iterations)
{
    fields("rows", iterations.rows);
    fields("columns", iterations.columns);
}

template <class Fields>
void list_fields(Fields& fields, CgRequest& cg)
{
    fields("tolerance", cg.tolerance);
    fields("max_iterations", cg.max_iterations);
    fields("assumed_iterations", cg.assumed_iterations);
}

template <class Fields>
void list_fields(Fields& fields, OverlapRequest& overlap)
{
    fields("kind", overlap.kind);
    fields("depth", overlap.depth);
}

template <class Fields>
void list_fields(Fields& fields, AssumedTrafficRequest& assumed)
{
    fields("distinct_factor", assumed.distinct_factor);
    fields("local_share", assumed.local_share);
    fields("row_imbalance", assumed.row_imbalance);
    fields("column_imbalance", assumed.column_imbalance);
}

template <class Fields>
void list_fields(Fields& fields, SwitchesRequest& switches)
{
    fields("phantom_rows", switches.phantom_rows);
    fields("phantom_candidates", switches.phantom_candidates);
    fields("admission", switches.admission);
    fields("device_padding", switches.device_padding);
    fields("solution_cast", switches.solution_cast);
    fields("residual", switches.residual);
    fields("gramian_dtype", switches.gramian_dtype);
    fields("psum_rounding", switches.psum_rounding);
    fields("eval_reg", switches.eval_reg);
    fields("score_dtype", switches.score_dtype);
    fields("donate", switches.donate);
}

template <class Fields>
void list_fields(Fields& fields, InitialRequest& initial)
{
    fields("stddev", initial.stddev);
    fields("divide_by_sqrt_dim", initial.divide_by_sqrt_dim);
    fields("tied", initial.tied);
}

template <class Fields>
void list_fields(Fields& fields, InitialTablesRequest& tables)
{
    fields("rows", tables.rows);
    fields("columns", tables.columns);
}

template <class Fields>
void list_fields(Fields& fields, BatchSizes& sizes)
{
    fields("lines", sizes.lines);
    fields("line_length", sizes.line_length);
    fields("rows", sizes.rows);
}

template <class Fields>
void list_fields(Fields& fields, InputRequest& input)
{
    fields("ids_per_second", input.ids_per_second);
    fields("bytes_per_second", input.bytes_per_second);
    fields("reads", input.reads);
}

template <class Fields>
void list_fields(Fields& fields, AlxRequest& alx)
{
    fields("dim", alx.dim);
    fields("epochs", alx.epochs);
    fields("reg", alx.reg);
    fields("alpha", alx.alpha);
    fields("solver", alx.solver);
    fields("cg", alx.cg);
    fields("table_dtype", alx.table_dtype);
    fields("solve_dtype", alx.solve_dtype);
    fields("matmul_passes", alx.matmul_passes);
    fields("gather", alx.gather);
    fields.newer(alx.gather.c_str(), alx.gather_options);
    fields("scatter", alx.scatter);
    fields("placement", alx.placement);
    fields("statistics", alx.statistics);
    fields("overlap", alx.overlap);
    fields("group_axes", alx.group_axes);
    fields("embedding_axes", alx.embedding_axes);
    fields("core_order", alx.core_order);
    fields("assumed_traffic", alx.assumed_traffic);
    fields("semantics", alx.semantics);
    fields.newer("switches", alx.switches);
    fields("initial", alx.initial);
    fields.newer("initial_tables", alx.initial_tables);
    fields("batch", alx.batch);
    fields("column_batch", alx.column_batch);
    fields("long_rows", alx.long_rows);
    fields.newer("input", alx.input);
}

template <class Fields>
void list_fields(Fields& fields, EvaluationSizes& sizes)
{
    fields("lines", sizes.lines);
    fields("rows", sizes.rows);
    fields("ground_truth_lines", sizes.ground_truth_lines);
}

template <class Fields>
void list_fields(Fields& fields, RecommendRequest& recommend)
{
    fields("rows", recommend.rows);
    fields("k", recommend.k);
}

template <class Fields>
void list_fields(Fields& fields, EvaluationRequest& evaluation)
{
    fields("every", evaluation.every);
    fields("top_k", evaluation.top_k);
    fields("approximate", evaluation.approximate);
    fields("recommend", evaluation.recommend);
    fields.newer("metrics", evaluation.metrics);
    fields("batch", evaluation.batch);
}

template <class Fields>
void list_fields(Fields& fields, WorkloadRequest& workload)
{
    fields.newer("dataset", workload.dataset);
    fields.newer("dataset", workload.dataset_as_given);
    fields("split", workload.split);
    fields("alx", workload.alx);
    fields("evaluation", workload.evaluation);
}

template <class Fields>
void list_fields(Fields& fields, PointRequest& point)
{
    fields("seed", point.seed);
    fields("numerics", point.numerics);
    fields("workload", point.workload);
}

PointRequest point_request(const Json& point)
{
    return value_of_json<PointRequest>(point);
}

} // namespace alx
} // namespace alxsim
