// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/point_request.h"

#include "alx/batches/workload_shape.h"
#include "alx/data/dataset_reader.h"
#include "alx/requests/alx_fields.h"
#include "alx/requests/split_fields.h"
#include "alx/strategies/gather.h"
#include "base/schema/json_schema.h"

namespace alxsim {
namespace json_fields {

template <>
struct Form<alx::BatchRequest> {
    static Json write(const alx::BatchRequest& batch)
    {
        return std::visit([](const auto& one) { return json_of(one); }, batch);
    }
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
void list_fields(Fields& fields, NamesRequest& names)
{
    fields("rows", names.rows, "The file of rows, or of both.");
    fields("columns", names.columns, "The file of columns.");
}

template <class Fields>
void list_fields(Fields& fields, ColumnsRequest& columns)
{
    fields("user", columns.user, "Whose ids are rows.");
    fields("item", columns.item, "Whose ids are columns.");
    fields("rating", columns.rating, "What 'threshold' is held against.");
    fields("time", columns.time, "By which \"split\" of kind temporal and leave_out part links.");
}

template <class Fields>
void list_fields(Fields& fields, DatasetRequest& dataset)
{
    fields("webgraph", dataset.webgraph, "A published web graph, known by its sizes.",
           limits::one_of(webgraph_names));
    static constexpr const char* sizes_elsewhere =
        R"({"hints": {"users": "rows", "items": "columns",
               "movies": "columns", "ratings": "links", "interactions": "links",
               "nonzeros": "links", "nnz": "links", "edges": "links", "nodes": "rows"}})";
    fields("shape", dataset.shape, "A matrix known by its sizes alone; it is timed, not computed.",
           limits::and_keywords({}, sizes_elsewhere));
    fields("generate", dataset.generate,
           "Links made up, with power-law lengths of rows and columns.",
           limits::and_keywords({}, sizes_elsewhere));
    fields("file", dataset.file, "Links, relative to the study.");
    fields("format", dataset.format, "Left out: by the file's name and first lines.",
           limits::one_of(dataset_formats));
    fields("rows", dataset.rows, "Left out: the largest id of the file and one.",
           limits::at_least(1));
    fields("columns", dataset.columns, "The same.", limits::at_least(1));
    fields("threshold", dataset.threshold,
           "Of ratings, those below are no links. Left out: all are.");
    fields("fields", dataset.fields,
           "Which columns of a table are which, by the names in its first line, or without such by "
           "their numbers (\"1\", \"2\" ..). Left out: by what they are commonly called (userId, "
           "movieId, rating ..), or by position: user, item, rating, time.");
    fields(
        "names", dataset.names,
        "Files of names, by which recommendations are told: a name on each line, that of id i on "
        "line i from 0, as 'alxsim dataset names' makes them; or a table whose first line names "
        "a column of the file's ids (movieId ..) and one of names (title, name). With rows alone, "
        "rows and columns have the same names.");
    fields("filter", dataset.filter, "What is dropped before the split.");
}

template <class Fields>
void list_fields(Fields& fields, EvaluationSizes& sizes)
{
    fields.newer("lines", sizes.lines, "Lines of a batch of test rows' histories.",
                 limits::between(1, 16777216));
    fields.newer("rows", sizes.rows, "Test rows of a batch.", limits::between(1, 16777216));
    fields.newer("ground_truth_lines", sizes.ground_truth_lines, "Lines of their held-out links.",
                 limits::between(1, 16777216));
}

template <class Fields>
void list_fields(Fields& fields, RecommendRequest& recommend)
{
    fields("rows", recommend.rows, "By name, or by the file's id.",
           limits::and_length(limits::as_json(R"({"oneOf": [{"type": "string"},
               {"type": "integer", "minimum": 0, "maximum": 2147483647}]})"),
                              1, 1000));
    fields("k", recommend.k, "Recommendations of each.", limits::between(1, 10000));
}

template <class Fields>
void list_fields(Fields& fields, EvaluationRequest& evaluation)
{
    fields.newer("every", evaluation.every, "How many epochs lie between evaluations.",
                 limits::at_least(1));
    fields.newer("top_k", evaluation.top_k, "Recommendations of a test row.",
                 limits::between(1, 10000));
    fields.newer("approximate", evaluation.approximate, "The TPU's approximate top-k.");
    fields("target_recall_at_20", evaluation.target_recall_at_20,
           "What seconds_to_recall is the time to. Left out: for each series, 0.99 of the lowest "
           "of its points' best values.",
           limits::and_at_most(limits::above(0), 1));
    fields("recommend", evaluation.recommend,
           "Rows, by name or by the file's id, whose recommendations after training are told in "
           "the report; k of them, left out: top_k.");
    fields.unless_empty(
        "metrics", evaluation.metrics,
        "Told beside recall_at_20 and recall_at_50: recall_at_K, precision_at_K, hit_rate_at_K, "
        "mrr_at_K, map_at_K, ndcg_at_K and coverage_at_K with K up to top_k; auc. The first one, "
        "or else recall_at_20, says which epoch is best.",
        limits::and_keywords(limits::and_length({}, 0, 20), R"({
            "items": {"type": "string", "pattern": "^(auc|(recall|precision|hit_rate|mrr|map|ndcg|coverage)_at_[1-9][0-9]{0,4})$",
                      "examples": ["ndcg_at_10"],
                      "allowed_in_words": "recall, precision, hit_rate, mrr, map, ndcg, coverage, each _at_K (ndcg_at_10), or auc",
                      "hints": {"recall": "recall_at_20", "precision": "precision_at_20",
                          "hitrate": "hit_rate_at_20", "hr": "hit_rate_at_20", "mrr": "mrr_at_20",
                          "map": "map_at_20", "ndcg": "ndcg_at_20", "coverage": "coverage_at_20",
                          "rocauc": "auc"}},
            "examples": [["ndcg_at_10", "recall_at_5"]]})"));
    fields("keep_best", evaluation.keep_best,
           "Whether tables, exports and recommendations are those of the best epoch, and not of "
           "the last.");
    fields("stop_after", evaluation.stop_after,
           "Epochs without a better one after which training ends. Left out: all are run.",
           limits::at_least(1));
    fields("batch", evaluation.batch, "Left out: as much as the longest test row needs.");
}

template <class Fields>
void list_fields(Fields& fields, WorkloadRequest& workload)
{
    fields.unless_empty("dataset", workload.dataset_as_given); // of the schema, what comes next
    fields.unless_empty("dataset", workload.dataset,
                        "The links: one of webgraph, shape, generate and file.",
                        limits::and_keywords({}, R"({"hints": {"users": "rows",
                            "items": "columns", "movies": "columns", "path": "file",
                            "filename": "file", "csv": "file", "ratings": "file",
                            "minrating": "threshold", "synthetic": "generate",
                            "random": "generate", "sizes": "shape"}})"));
    fields("split", workload.split,
           "Left out: all rows are trained on. A test_file says all by itself.");
    fields.newer("alx", workload.alx, "The factorization and how it is spread over devices.",
                 limits::and_keywords({}, R"({"hints": {"factors": "dim", "numfactors": "dim",
                     "rank": "dim", "embeddingdim": "dim", "latentdim": "dim", "seed": "/seed", "dimension": "dim",
                     "lambda": "reg", "regularization": "reg", "regparam": "reg", "l2": "reg",
                     "unobservedweight": "alpha", "alpha0": "alpha", "iterations": "epochs",
                     "maxiter": "epochs", "numiterations": "epochs", "batchsize": "batch",
                     "dtype": "table_dtype", "precision": "table_dtype"}})"));
    fields.newer("evaluation", workload.evaluation,
                 "Of test rows, after epochs; its time does not count.");
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
    auto request = value_of_json<PointRequest>(point);
    AlxRequest& alx = request.workload.alx;
    const Json::json_pointer options("/workload/alx/" + alx.gather);
    if (point.contains(options)) {
        read_json(point.at(options), alx.gather_options);
    }
    request.text = std::to_string(request.seed) + point.at("workload").dump();
    return request;
}

} // namespace alx

namespace json_schema {

template <>
struct Of<alx::BatchRequest> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        return {{"oneOf", {{{"enum", {"auto", "tuned"}}}, of_type<alx::BatchSizes>({}, use)}}};
    }
};

} // namespace json_schema

Json alx::workload_fields()
{
    SchemaWriter workload(json_schema::Use::read);
    WorkloadRequest request;
    list_fields(workload, request);
    Json fields = workload.properties();
    Json& alx = fields.at("alx").at("properties");
    for (const std::string& gather : gather_strategies().names()) {
        const Json options = gather_strategies().create(gather)->options_schema();
        if (!options.is_null()) {
            alx[gather] = options;
        }
    }
    // Sizes that a column_batch leaves out are those of the batch.
    Json& batch = alx.at("batch").at("oneOf").at(1);
    batch["description"] = "Sizes of a batch.";
    batch.at("properties").at("lines")["default"] = BatchGeometry().lines;
    batch.at("properties").at("line_length")["default"] = BatchGeometry().line_length;
    batch.at("properties").at("rows")["default"] = BatchGeometry().rows;
    return fields;
}

} // namespace alxsim
