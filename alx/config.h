// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/op_graph.h"

#include <cstdint>
#include <string>

namespace alxsim::alx {

/// A dense batch: `lines` lines of `line_length` ids that belong to at most `rows` rows.
struct BatchGeometry {
    std::int64_t lines = 1024;
    std::int64_t line_length = 16;
    std::int64_t rows = 64;
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

/// Where the released code and what one would write today part. Defaults are `clean`.
struct Semantics {
    Admission admission = Admission::exact;
    DevicePadding device_padding = DevicePadding::when_needed;
};

struct CgConfig {
    double tolerance = 1e-5;         ///< relative to |b|
    std::int64_t max_iterations = 0; ///< 0: 10 dim, as in JAX
};

struct EvaluationConfig {
    int every = 1;  ///< epochs
    int top_k = 50; ///< recommendations per test row
};

/// An ALX job: /workload/alx and /workload/evaluation of a study.
struct AlxConfig {
    int dim = 128;
    int epochs = 16;
    double reg = 1e-3;
    double alpha = 1e-2; ///< weight of the unobserved pairs
    std::string solver = "cg";
    CgConfig cg;
    model::DType table_dtype = model::DType::bf16;
    int matmul_passes = 1; ///< of a matmul with f32 operands on bf16 hardware: 1, 3 or 6
    std::string gather = "all_reduce_loop";
    BatchGeometry batch;        ///< of the row half
    BatchGeometry column_batch; ///< of the column half
    double initial_stddev = 0.1;
    std::uint64_t seed = 1;
    Semantics semantics;
    EvaluationConfig evaluation;

    std::int64_t max_cg_iterations() const
    {
        return cg.max_iterations > 0 ? cg.max_iterations : std::int64_t{10} * dim;
    }
};

} // namespace alxsim::alx
