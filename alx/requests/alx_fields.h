// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/placements/placement.h"
#include "alx/requests/point_request.h"
#include "alx/solvers/solver.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"

/// The fields of a study's /workload/alx, in the schema's order.
namespace alxsim::alx {

/// The limits of a field whose texts are precisions; with what other programs call them.
constexpr FieldLimits precisions(const char* texts)
{
    return limits::and_keywords(limits::one_of(texts), R"({"hints": {"bfloat16": "bf16",
        "float32": "f32", "fp32": "f32", "float": "f32", "single": "f32", "float64": "f64",
        "fp64": "f64", "double": "f64"}})");
}

template <class Fields>
void list_fields(Fields& fields, AssumedIterations& iterations)
{
    fields("rows", iterations.rows, "In the row half.", limits::at_least(1));
    fields("columns", iterations.columns, "In the column half.", limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, CgRequest& cg)
{
    fields.newer("tolerance", cg.tolerance, "Of the residual, relative to the right-hand side.",
                 limits::amount);
    fields("max_iterations", cg.max_iterations, "Left out: ten times dim.", limits::at_least(1));
    fields("assumed_iterations", cg.assumed_iterations,
           "Of the slowest system of a batch, where no numbers are computed. Left out: 12 in the "
           "row half, 28 in the column half (measured on cnr-2000), uncertain where links are not "
           "known either.");
}

template <class Fields>
void list_fields(Fields& fields, OverlapRequest& overlap)
{
    fields.newer("kind", overlap.kind, "Whether gathers run ahead of solving.",
                 limits::one_of("none|prefetch"));
    fields.newer("depth", overlap.depth, "How many batches ahead.", limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, TableTierRequest& tier)
{
    fields.newer("updated", tier.updated,
                 "The table that a half solves for. host: its rows leave HBM as they are solved, "
                 "and it changes places with the other one when it is the fixed one.",
                 limits::one_of("hbm|host"));
    fields.newer("fixed", tier.fixed,
                 "The table that a half looks rows up in. host, storage: the host sends a step the "
                 "rows that its batches ask for; needs the other in the host, too.",
                 limits::one_of("hbm|host|storage"));
}

template <class Fields>
void list_fields(Fields& fields, AssumedTrafficRequest& assumed)
{
    fields.newer("distinct_factor", assumed.distinct_factor,
                 "Factor of the distinct rows that batches of independent links would look up.",
                 limits::and_at_most(limits::above(0), 1));
    fields("local_share", assumed.local_share,
           "Share of the links whose row and column stand on one shard.", limits::share_of_one);
    fields("row_imbalance", assumed.row_imbalance,
           "Links of the shard of rows that has most, over the mean.", limits::at_least(1));
    fields("column_imbalance", assumed.column_imbalance, "The same of the shards of columns.",
           limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, SwitchesRequest& switches)
{
    fields("phantom_rows", switches.phantom_rows, "What rows that are never trained start from.",
           limits::one_of("random|zero"));
    fields("phantom_candidates", switches.phantom_candidates,
           "Rows that fill the shards may be recommended.");
    fields("admission", switches.admission, "Lines that a row asks for in a batch.",
           limits::one_of("spare_line|exact"));
    fields("device_padding", switches.device_padding, "Batches that only fill up the devices.",
           limits::one_of("always|when_needed"));
    fields("solution_cast", switches.solution_cast, "Precision in which solutions travel.",
           limits::one_of("bf16|table"));
    fields("residual", switches.residual, "strict: old + (new - old) in the table's precision.",
           limits::one_of("strict|fused"));
    fields("gramian_dtype", switches.gramian_dtype, "Precision of the Gramian.",
           limits::one_of("table|f32"));
    fields("unlinked_ids", switches.unlinked_ids,
           "Ids of the data, up to the largest, in which no link lies: count as rows and columns "
           "(alx), or leave_out (clean), so that what is learned does not depend on numbering.",
           limits::one_of("count|leave_out"));
    fields("psum_rounding", switches.psum_rounding,
           "Where the sum of the devices' bf16 Gramians is rounded: once, when it is whole (left "
           "out, whatever semantics); or at every_hop on its way, as the compiler runs it: its "
           "last bits then depend on slice and schedule. For numerics alone: of times only the "
           "iterations of CG may move.",
           limits::one_of("once|every_hop"));
    fields("eval_reg", switches.eval_reg, "Regularization of test rows.",
           limits::one_of("plain|scaled"));
    fields("score_dtype", switches.score_dtype, "Precision of scores.", precisions("bf16|f32"));
    fields("donate", switches.donate,
           "The buffer of the updated table is given to the step. Without it every step copies the "
           "shard, and a third shard stands beside the two tables.");
}

template <class Fields>
void list_fields(Fields& fields, InitialRequest& initial)
{
    fields.newer("stddev", initial.stddev, "Of the initial tables.", limits::amount);
    fields.newer("divide_by_sqrt_dim", initial.divide_by_sqrt_dim,
                 "Whether stddev is divided by the square root of dim.");
    fields.newer("tied", initial.tied, "Both tables start alike.");
}

template <class Fields>
void list_fields(Fields& fields, InitialTablesRequest& tables)
{
    fields("rows", tables.rows, "The table of rows, [rows x dim].");
    fields("columns", tables.columns, "The table of columns, [columns x dim].");
}

template <class Fields>
void list_fields(Fields& fields, BatchSizes& sizes)
{
    fields("lines", sizes.lines, "Lines that a device works on in a step.",
           limits::between(1, 16777216));
    fields("line_length", sizes.line_length, "Ids that a line has room for.",
           limits::between(1, 1048576));
    fields("rows", sizes.rows, "Most matrix rows of a device's batch.",
           limits::between(1, 16777216));
}

template <class Fields>
void list_fields(Fields& fields, InputRequest& input)
{
    fields("ids_per_second", input.ids_per_second,
           "Ids that a host parses, of its own devices' batches. Left out, it is uncertain: 2e7 to "
           "1e9. [1e8]",
           limits::above(0));
    fields("bytes_per_second", input.bytes_per_second,
           "Bytes of records that a host reads. Left out, it is uncertain: 1e8 to 3e9. [1e9]",
           limits::above(0));
    fields("reads", input.reads,
           "Which records a host reads: all, and drops those of other hosts, as the released code "
           "does; or its own. [all with semantics alx, own with clean]",
           limits::one_of("all|own"));
}

template <class Fields>
void list_factorization(Fields& fields, AlxRequest& alx)
{
    fields.newer("dim", alx.dim, "Numbers in a row of a table.", limits::between(1, 4096));
    fields.newer("epochs", alx.epochs, "Of training; time is always that of one.", limits::amount);
    fields.newer("reg", alx.reg, "Regularization of both tables.", limits::amount);
    fields.newer("alpha", alx.alpha, "Weight of what is not linked.", limits::amount);
    fields.newer("weights", alx.weights,
                 "What links weigh in the objective. ignore: 1; confidence: their ratings or "
                 "values, above 0, which multiply their terms (Hu, Koren, Volinsky 2008); not of "
                 "the released code.",
                 limits::one_of("ignore|confidence"));
    fields.newer("solver", alx.solver, "Of the d x d systems.",
                 limits::and_keywords(limits::one_of([] { return solvers().names(); }),
                                      R"({"hints": {"conjugategradient": "cg", "ldlt": "cholesky",
                                          "ldl": "cholesky", "direct": "cholesky"}})"));
    fields.newer("cg", alx.cg, "Of conjugate gradients.");
    fields.newer("table_dtype", alx.table_dtype, "Precision of the tables.",
                 precisions("bf16|f32|f64"));
    fields("solve_dtype", alx.solve_dtype, "Left out: f64 of tables in f64, else f32.",
           precisions("bf16|f32|f64"));
    fields("matmul_passes", alx.matmul_passes,
           "Left out: exact of tables in f32 whose solutions are not cast, else 1.",
           limits::as_json(R"({"enum": [1, 3, 6, "exact"]})"));
}

template <class Fields>
void list_strategies(Fields& fields, AlxRequest& alx)
{
    fields.newer("gather", alx.gather,
                 "How rows of the fixed table reach the devices that need them.",
                 limits::one_of([] { return gather_strategies().names(); }));
    fields.newer("scatter", alx.scatter, "How solutions reach the shards that own them.",
                 limits::one_of([] { return scatter_strategies().names(); }));
    fields.newer("placement", alx.placement, "Which shard owns which row.",
                 limits::one_of([] { return placements().names(); }));
    fields.newer("overlap", alx.overlap,
                 "prefetch: rows of the batch that is depth ahead are gathered while one is "
                 "solved.");
    fields.newer("table_tier", alx.table_tier,
                 "In which memory the tables stand, for what is larger than HBM.");
    fields("group_axes", alx.group_axes, "Left out: all axes that embedding_axes does not name.",
           limits::and_not_empty(limits::one_of("x|y|z")));
    fields.newer("embedding_axes", alx.embedding_axes,
                 "Axes over which the numbers of a row are spread.", limits::one_of("x|y|z"));
    fields.newer("core_order", alx.core_order, "In which order row shards lie along the axes.",
                 limits::one_of("row_major|column_major|snake"));
    fields.newer("statistics", alx.statistics, "How looked-up rows become the systems to solve.",
                 limits::one_of([] { return statistics_strategies().names(); }));
    fields.newer("assumed_traffic", alx.assumed_traffic,
                 "Of jobs known by sizes alone. What is left out follows from the placement.");
}

template <class Fields>
void list_fields(Fields& fields, AlxRequest& alx)
{
    list_factorization(fields, alx);
    list_strategies(fields, alx);
    fields("semantics", alx.semantics,
           "alx: the released code with its quirks (left out: of a webgraph); clean: what one "
           "would write today (of all other data).",
           limits::one_of("alx|clean"));
    fields.unless_empty("switches", alx.switches, "What is left out is as semantics has it.");
    fields.newer("initial", alx.initial, "What the tables start from.",
                 limits::and_keywords({}, R"({"hints": {"seed": "/seed", "std": "stddev",
                     "scale": "stddev"}})"));
    fields.unless_empty("initial_tables", alx.initial_tables, "Files (.npy) that they start from.");
    fields.newer("batch", alx.batch,
                 "auto: a careful user's, 1024 lines of 16; larger where a row needs it or where "
                 "that is faster than to split rows, smaller where the data or the memory is; "
                 "tuned: the fastest by the analytic model that fits into memory.");
    fields("column_batch", alx.column_batch, "Left out, it or a part of it: as batch.");
    fields("long_rows", alx.long_rows,
           "Rows with more links than a batch holds. split: they go on in the device's next "
           "batches, no link is lost, the numbers are those of one batch (left out: with semantics "
           "clean). refuse: an error that says which batch would do (with alx). truncate: cut to "
           "their first links, and told before all else how many are lost (of a webgraph, since "
           "the released code left no other way).",
           limits::one_of("split|refuse|truncate"));
    fields.newer("input", alx.input,
                 "What each host does for its devices before batches go over PCIe: it reads "
                 "records of 8 bytes an id, and parses and lays out the ids. Reading, parsing and "
                 "PCIe work side by side, host_prefetch_depth batches ahead each.");
}

} // namespace alxsim::alx
