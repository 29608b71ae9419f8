// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/ranking_metric.h"
#include "model/graph/dtype.h"
#include "topologies/input_rates.h"
#include "topologies/memory_tier.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace alxsim::spmd {
class HopSum;
}

namespace alxsim::alx {

/// A dense batch: `lines` lines of `line_length` ids that belong to at most `rows` rows.
struct BatchGeometry {
    std::int64_t lines = 1024;
    std::int64_t line_length = 16;
    std::int64_t rows = 64;

    /// Ids that it holds, and the links of the longest row that fits.
    std::int64_t slots() const { return lines * line_length; }
};

/// What becomes of a row with more links than a batch holds. The released code raises ValueError,
/// so that who ran it must have cut such rows before.
enum class LongRows {
    refuse,
    truncate, ///< its first links count
    split     ///< it goes on in its device's next batches, and its sums with it
};

/// How many lines a row of n links asks for before it is admitted to a batch.
enum class Admission {
    exact,     ///< ceil(n / line_length)
    spare_line ///< n / line_length + 1, the released code: one too many where line_length divides n
};

/// When empty batches fill up the devices of the last step.
enum class DevicePadding {
    when_needed, ///< up to the next multiple of the devices
    always       ///< the released code: a whole step more where the count is a multiple already
};

/// What rows that are never trained start from: those that fill the shards (phantom rows) and those
/// without examples (cold rows).
enum class PhantomRows {
    zero,
    random ///< the released code: as all others, so that they count in every Gramian
};

/// What a solved row is rounded to before it travels to its owner.
enum class SolutionCast {
    table, ///< the table's dtype
    bf16   ///< the released code, whatever the table's dtype
};

/// How a solved row x is written over the old one.
enum class Residual {
    fused, ///< x, in the table's dtype
    strict ///< the released code: old + (x - old), each operation rounded to the table's dtype
};

/// What a Gramian is kept in, and its product with alpha.
enum class GramianDType {
    f32,
    table ///< the released code: partial sums, sum and alpha are rounded to bf16 if the table is
};

/// Where the sum of the devices' bf16 Gramians is rounded.
enum class PsumRounding {
    once,     ///< when it is whole
    every_hop ///< what the compiler runs: by each device on its way, so that the last bits depend
              ///< on slice and schedule
};

/// The regularizer of a test row.
enum class EvaluationReg {
    scaled, ///< as in training, reg (len + alpha columns)
    plain   ///< the released code: reg
};

/// What scores are rounded to before they are compared.
enum class ScoreDType { f32, bf16 };

/// How the best columns are found.
enum class Ranking {
    global, ///< history left out, ties to the lower id
    sharded ///< the released code: history far down, the best of each shard, merged with ties to
            ///< the larger (rank, shard)
};

/// Where the released code and what one would write today part. Defaults are `clean`.
struct Semantics {
    Admission admission = Admission::exact;
    DevicePadding device_padding = DevicePadding::when_needed;
    PhantomRows phantom_rows = PhantomRows::zero;
    bool phantom_candidates = false; ///< whether phantom rows may be recommended
    SolutionCast solution_cast = SolutionCast::table;
    Residual residual = Residual::fused;
    GramianDType gramian_dtype = GramianDType::f32;
    EvaluationReg evaluation_reg = EvaluationReg::scaled;
    ScoreDType score_dtype = ScoreDType::f32;
    Ranking ranking = Ranking::global;
    /// Whether a step may write into the buffer of the table that it updates. The released code's
    /// jax.pmap calls have no donate_argnums: every step's result is a new buffer, and what it does
    /// not change is copied there.
    bool donate = true;
    PsumRounding psum_rounding = PsumRounding::once;

    /// The released code (alx/README.md says what each does). A table in f64 is there to see the
    /// algorithm without rounding: its solutions are not cast.
    static Semantics alx(model::DType table_dtype)
    {
        const bool exact = table_dtype == model::DType::f64;
        return {Admission::spare_line,
                DevicePadding::always,
                PhantomRows::random,
                true,
                exact ? SolutionCast::table : SolutionCast::bf16,
                Residual::strict,
                GramianDType::table,
                EvaluationReg::plain,
                ScoreDType::bf16,
                Ranking::sharded,
                false,
                PsumRounding::once};
    }
};

/// What a host reads for its devices: TFRecords of int64 lists, which tf.data parses. Nothing
/// measured: ids a second of a host that parses with some or with all of its cores, bytes a second
/// of a network disk or of a bucket with many readers.
struct InputAssumption {
    double low = 0;
    double central = 0;
    double high = 0;
    const char* source = "";
};
constexpr InputAssumption host_ids_per_second{
    2e7, 1e8, 1e9, "Assumed: int64 TFRecords, parsed by tf.data; nothing measured"};
constexpr InputAssumption host_bytes_per_second{
    1e8, 1e9, 3e9, "Assumed: from one network disk to many parallel readers of a bucket"};

/// Products of f32 operands on bf16 hardware: 1, 3 or 6 passes over bf16 parts of the operands, or
/// exact_products.
constexpr int exact_products = 0;

/// What an error offers to whose rows do not fit a batch.
constexpr const char* long_rows_way_out =
    "\"long_rows\": \"split\" (with \"semantics\": \"clean\") or \"truncate\" in /workload/alx";

struct InitialValues {
    double stddev = 0.1;
    bool divide_by_sqrt_dim = false;
    bool tied = false; ///< row i of both tables starts the same
};

/// CG iterations of the slowest system of a batch, where no numbers are computed.
struct CgAssumption {
    std::int64_t low = 0;
    std::int64_t central = 0;
    std::int64_t high = 0;
};

/// Measured on a web of 24,178 nodes (cnr-2000, 10 links at least both ways) at d 32 to 128, reg
/// 1e-4 to 1e-1 and alpha rows over mean links 0.1 to 10: 4 to 15 in the row half, 4 to 99 in the
/// column half. With reg scaled by len + alpha rows the condition number does not grow with the
/// number of rows, and from 14 k to 160 k nodes the counts stayed. That was after 4 epochs of
/// tables that start from 0.1 / sqrt(d). From 0.1 the row half takes 18 to 20 by then (reg 1e-3),
/// and is within the range again after 16 epochs (tests/system/cg_iterations_test.cpp).
constexpr CgAssumption row_cg_iterations{6, 12, 16};
constexpr CgAssumption column_cg_iterations{8, 28, 100};

/// What a run without links takes its batches' traffic to be; absent: what the placement says.
struct TrafficAssumption {
    double distinct_factor = 1;        ///< distinct rows of a batch over those of independent links
    std::optional<double> local_share; ///< of the links: row and column on one shard
    std::optional<double> row_imbalance;    ///< most over mean: links of the shards' rows
    std::optional<double> column_imbalance; ///< of their columns
};

struct CgConfig {
    double tolerance = 1e-5;         ///< relative to |b|
    std::int64_t max_iterations = 0; ///< 0: 10 dim, as in JAX
    /// What a run without numbers takes the slowest system of a batch to need in either half.
    std::int64_t assumed_row_iterations = row_cg_iterations.central;
    std::int64_t assumed_column_iterations = column_cg_iterations.central;
    bool iterations_given = false; ///< the two above: by the study, which takes them to be certain
};

/// In which memory the two tables of a half stand: the one that it updates, and the one that it
/// reads, which is the other one in the next half.
struct TableTier {
    topologies::Tier updated = topologies::Tier::hbm; ///< hbm, host
    topologies::Tier fixed = topologies::Tier::hbm;   ///< hbm, host, storage
    /// Host memory of a device for rows that are asked of it, where its fixed table is in storage.
    Bytes host_bytes{0};

    /// Whether a device's HBM has the shard of the table that is solved for.
    bool updated_in_hbm() const { return updated == topologies::Tier::hbm; }
    bool fixed_in_hbm() const { return fixed == topologies::Tier::hbm; }
};

/// Test batches, whose line length is that of the row half.
struct EvaluationBatch {
    std::int64_t lines = 1024;
    std::int64_t rows = 64;
    std::int64_t ground_truth_lines = 1024;
};

struct EvaluationConfig {
    int every = 1;                                        ///< epochs
    int top_k = 50;                                       ///< recommendations per test row
    bool approximate = false;                             ///< the best of windows instead of all
    std::vector<RankingMetric> metrics = usual_metrics(); ///< these, then the study's own
    std::size_t judged_by = 0;     ///< of the metrics: the study's first, or recall_at_20
    bool keep_best = false;        ///< whether the tables are, in the end, those of the best epoch
    std::optional<int> stop_after; ///< epochs without a better one after which training ends
    /// Absent: as above, or as much as the longest test row needs.
    std::optional<EvaluationBatch> batch;
};

/// An ALX job: /workload/alx and /workload/evaluation of a study.
struct AlxConfig {
    int dim = 128;
    int epochs = 16;
    double reg = 1e-3;
    double alpha = 1e-2;       ///< weight of the unobserved pairs
    bool weighs_links = false; ///< links have weights of their own, which batches carry
    std::string solver = "cg";
    CgConfig cg;
    model::DType table_dtype = model::DType::bf16;
    model::DType solve_dtype = model::DType::f32; ///< of statistics and solver
    int matmul_passes = exact_products; ///< of the outer products and Gramians of an f32 table
    std::string gather = "all_reduce_loop";
    std::string scatter = "all_gather";
    std::string placement = "contiguous";
    std::string statistics = "segment_sum";
    /// Batches that are gathered ahead of the one that is solved; 0: none.
    int prefetch_depth = 0;
    TableTier table_tier;
    /// What a study says in the section with the gather's name, see GatherStrategy.
    std::map<std::string, std::int64_t> gather_options;
    TrafficAssumption assumed_traffic;
    BatchGeometry batch;        ///< of the row half
    BatchGeometry column_batch; ///< of the column half
    LongRows long_rows = LongRows::split;
    InitialValues initial;
    std::uint64_t seed = 1;
    Semantics semantics;
    /// How the devices' Gramians are added with PsumRounding::every_hop; else null.
    std::shared_ptr<const spmd::HopSum> gramian_sum;
    EvaluationConfig evaluation;
    topologies::InputRates input; ///< of each host; no limits unless they are set

    std::int64_t max_cg_iterations() const
    {
        return cg.max_iterations > 0 ? cg.max_iterations : std::int64_t{10} * dim;
    }
    /// How often a step copies the shard that it updates. Without donation its result is a buffer
    /// of its own (jax pull request 2936), and the compiler makes one copy: the scatter adds to
    /// bf16 in place (programs of libtpu 0.0.42.1, 0.0.5 and 0.0.1 for v3).
    /// A table in host memory has no shard there: what it solves is written there in place.
    int shard_copies() const { return semantics.donate || !table_tier.updated_in_hbm() ? 0 : 1; }
    /// In which solved rows travel to their owners.
    model::DType exchange_dtype() const
    {
        return semantics.solution_cast == SolutionCast::bf16 ? model::DType::bf16 : table_dtype;
    }
    bool gramian_in_bf16() const
    {
        return table_dtype == model::DType::bf16 && semantics.gramian_dtype == GramianDType::table;
    }
    /// Returns the bytes of one Gramian.
    Bytes gramian_bytes() const
    {
        const model::DType dtype = table_dtype == model::DType::f64 ? model::DType::f64
                                   : gramian_in_bf16()              ? model::DType::bf16
                                                                    : model::DType::f32;
        return model::size_of(dtype) * (std::int64_t{dim} * dim);
    }
    /// What the hardware spends on a product of f32 operands: six passes come nearest to exact.
    int hardware_passes() const { return matmul_passes == exact_products ? 6 : matmul_passes; }
};

} // namespace alxsim::alx
