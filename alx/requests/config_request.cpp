// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/config_request.h"

#include "alx/ranking_metric.h"
#include "base/input_error.h"

#include <algorithm>
#include <optional>

namespace alxsim::alx {
namespace {

model::DType dtype_of(const std::string& name)
{
    return name == "f64"   ? model::DType::f64
           : name == "f32" ? model::DType::f32
                           : model::DType::bf16;
}

/// Sets a switch that the study names: to the first value if it is called `name`, else to the
/// second.
template <class Named, class Value>
void set_switch(const std::optional<Named>& given, const char* name, Value& value, Value first,
                Value second)
{
    if (given) {
        value = *given == name ? first : second;
    }
}

bool is_published(const WorkloadRequest& workload)
{
    return workload.dataset.webgraph.has_value();
}

/// What others ran is taken to be the released code, one's own data one's own code.
bool is_released_code(const WorkloadRequest& workload)
{
    return workload.alx.semantics.value_or(is_published(workload) ? "alx" : "clean") == "alx";
}

/// Left out, nothing is lost where the code can help it; published webs alone are known to have
/// been cut.
LongRows long_rows_of(const WorkloadRequest& workload)
{
    const bool released = is_released_code(workload);
    const std::string otherwise = !released                ? "split"
                                  : is_published(workload) ? "truncate"
                                                           : "refuse";
    const std::string name = workload.alx.long_rows.value_or(otherwise);
    if (name == "split" && released) {
        throw InputError("", "/workload/alx/long_rows",
                         "found split with semantics alx: the released code raises an error for a "
                         "row that is longer than a batch; allowed are refuse and truncate, or "
                         "split with \"semantics\": \"clean\"");
    }
    return name == "split"    ? LongRows::split
           : name == "refuse" ? LongRows::refuse
                              : LongRows::truncate;
}

/// The named set, and the single switches on top.
Semantics semantics_of(const WorkloadRequest& workload, model::DType table_dtype)
{
    const SwitchesRequest& given = workload.alx.switches;
    Semantics all = is_released_code(workload) ? Semantics::alx(table_dtype) : Semantics{};
    set_switch(given.phantom_rows, "random", all.phantom_rows, PhantomRows::random,
               PhantomRows::zero);
    set_switch(given.admission, "spare_line", all.admission, Admission::spare_line,
               Admission::exact);
    set_switch(given.device_padding, "always", all.device_padding, DevicePadding::always,
               DevicePadding::when_needed);
    set_switch(given.solution_cast, "bf16", all.solution_cast, SolutionCast::bf16,
               SolutionCast::table);
    set_switch(given.residual, "strict", all.residual, Residual::strict, Residual::fused);
    set_switch(given.gramian_dtype, "table", all.gramian_dtype, GramianDType::table,
               GramianDType::f32);
    set_switch(given.eval_reg, "plain", all.evaluation_reg, EvaluationReg::plain,
               EvaluationReg::scaled);
    set_switch(given.score_dtype, "bf16", all.score_dtype, ScoreDType::bf16, ScoreDType::f32);
    set_switch(given.psum_rounding, "every_hop", all.psum_rounding, PsumRounding::every_hop,
               PsumRounding::once);
    all.phantom_candidates = given.phantom_candidates.value_or(all.phantom_candidates);
    all.donate = given.donate.value_or(all.donate);
    return all;
}

/// Left out, products are those of the hardware's default, one pass; but a table that is f32 and
/// whose solutions are not cast is meant to be f32 throughout.
int passes_of(const AlxRequest& alx, const AlxConfig& config)
{
    const bool in_f32 = config.table_dtype == model::DType::f32 &&
                        config.semantics.solution_cast == SolutionCast::table;
    const Json passes = alx.matmul_passes.value_or(in_f32 ? Json("exact") : Json(1));
    return passes == "exact" ? exact_products : passes.get<int>();
}

/// The study's own metrics, after the usual ones.
void add_metrics(EvaluationConfig& config, const std::vector<std::string>& names)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string& name = names[i];
        const std::optional<RankingMetric> metric = ranking_metric(name);
        if (!metric || metric->k > static_cast<std::size_t>(config.top_k)) {
            throw InputError(
                "", "/workload/evaluation/metrics/" + std::to_string(i),
                "found " + name +
                    "; allowed: auc, and recall, precision, hit_rate, mrr, map, ndcg and "
                    "coverage with _at_K, K up to the " +
                    std::to_string(config.top_k) + " of /workload/evaluation/top_k");
        }
        const bool listed =
            std::any_of(config.metrics.begin(), config.metrics.end(),
                        [&name](const RankingMetric& one) { return one.name() == name; });
        if (!listed) {
            config.metrics.push_back(*metric);
        }
    }
}

EvaluationConfig evaluation_of(const EvaluationRequest& evaluation)
{
    EvaluationConfig config;
    config.every = evaluation.every;
    config.top_k = evaluation.top_k;
    config.approximate = evaluation.approximate;
    add_metrics(config, evaluation.metrics);
    if (const auto& batch = evaluation.batch) {
        config.batch = EvaluationBatch{batch->lines, batch->rows, batch->ground_truth_lines};
    }
    return config;
}

/// The schema allows these alone.
topologies::Tier tier_of(const std::string& name)
{
    return name == "hbm"    ? topologies::Tier::hbm
           : name == "host" ? topologies::Tier::host
                            : topologies::Tier::storage;
}

void set_strategies(AlxConfig& config, const AlxRequest& alx)
{
    config.gather = alx.gather;
    config.scatter = alx.scatter;
    config.placement = alx.placement;
    config.statistics = alx.statistics;
    config.prefetch_depth = alx.overlap.kind == "prefetch" ? alx.overlap.depth : 0;
    config.table_tier = {tier_of(alx.table_tier.updated), tier_of(alx.table_tier.fixed)};
    config.gather_options = alx.gather_options;
    const AssumedTrafficRequest& assumed = alx.assumed_traffic;
    config.assumed_traffic = {assumed.distinct_factor, assumed.local_share, assumed.row_imbalance,
                              assumed.column_imbalance};
}

/// The released code shards records after it has read them all.
topologies::InputRates input_of(const WorkloadRequest& workload)
{
    const InputRequest& input = workload.alx.input;
    const std::string reads = input.reads.value_or(is_released_code(workload) ? "all" : "own");
    return {input.bytes_per_second.value_or(host_bytes_per_second.central),
            input.ids_per_second.value_or(host_ids_per_second.central), reads == "all"};
}

void set_solver(AlxConfig& config, const AlxRequest& alx)
{
    config.solver = alx.solver;
    config.cg.tolerance = alx.cg.tolerance;
    config.cg.max_iterations = alx.cg.max_iterations.value_or(config.cg.max_iterations);
    if (const auto& assumed = alx.cg.assumed_iterations) {
        config.cg.assumed_row_iterations = assumed->rows;
        config.cg.assumed_column_iterations = assumed->columns;
        config.cg.iterations_given = true;
    }
    // A table in f64 is there to see the algorithm without rounding.
    config.solve_dtype =
        dtype_of(alx.solve_dtype.value_or(config.table_dtype == model::DType::f64 ? "f64" : "f32"));
}

} // namespace

bool counts_unlinked_ids(const WorkloadRequest& workload)
{
    const std::optional<std::string>& given = workload.alx.switches.unlinked_ids;
    return given ? *given == "count" : is_released_code(workload);
}

bool weighs_links(const WorkloadRequest& workload)
{
    const bool confidence = workload.alx.weights == "confidence";
    if (confidence && is_released_code(workload)) {
        throw InputError("", "/workload/alx/weights",
                         "found confidence with semantics alx: the released code takes all links "
                         "for ones; allowed are ignore, or confidence with \"semantics\": "
                         "\"clean\"");
    }
    return confidence;
}

AlxConfig config_of(const PointRequest& point)
{
    const AlxRequest& alx = point.workload.alx;
    AlxConfig config;
    config.dim = alx.dim;
    config.epochs = alx.epochs;
    config.reg = alx.reg;
    config.alpha = alx.alpha;
    config.weighs_links = weighs_links(point.workload);
    config.table_dtype = dtype_of(alx.table_dtype);
    set_solver(config, alx);
    set_strategies(config, alx);
    config.initial = {alx.initial.stddev, alx.initial.divide_by_sqrt_dim, alx.initial.tied};
    config.seed = point.seed;
    config.semantics = semantics_of(point.workload, config.table_dtype);
    config.long_rows = long_rows_of(point.workload);
    config.matmul_passes = passes_of(alx, config);
    config.evaluation = evaluation_of(point.workload.evaluation);
    config.input = input_of(point.workload);
    return config;
}

} // namespace alxsim::alx
