// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "workloads/unknown.h"

#include <functional>
#include <optional>
#include <vector>

namespace alxsim::alx {

/// Batches of a job whose geometry is not given.
struct DrawnBatches {
    double row_ids = 0;      ///< slots of a batch of the row half
    double column_ratio = 1; ///< those of a batch of the column half over these
    double line_length = 16;
    double lines_used = 0.95; ///< share of the lines
};

/// What unknowns set: the inputs of a job's program.
struct DrawnInputs {
    AlxConfig config;
    std::optional<WorkloadShape> shape;  ///< absent: the batches are those of real links
    std::optional<DrawnBatches> batches; ///< of the halves whose geometry is not given
};

/// Rates of the hosts' input that a study does not say.
std::vector<workloads::Unknown> input_unknowns(const InputGiven& given);

struct JobUnknown {
    workloads::Unknown unknown;
    std::function<void(DrawnInputs&, double)> set;
    double topologies::InputRates::*rate = nullptr; ///< of one of the hosts' input, which it sets
};

/// What the released code's compilation left of it (copies, passes, fusions), batches where the
/// study does not give them, CG iterations and the longest row where no numbers are computed, what
/// placement and data do to traffic.
std::vector<JobUnknown> unknowns_of(const Job& job);

/// The job's inputs with values for these unknowns; as they are where there is none.
DrawnInputs drawn_inputs(const Job& job, const std::vector<JobUnknown>& unknowns,
                         const workloads::DrawnValues& values);

/// The hosts' input of these.
topologies::InputRates drawn_input_rates(const Job& job, const std::vector<JobUnknown>& unknowns,
                                         const workloads::DrawnValues& values);

/// What statements may be about, beside times.
inline constexpr const char* links_lost_figure = "links_lost_share";
inline constexpr const char* rows_fit_figure = "rows_fit";

/// The share of the links of both halves that batches of the job with these inputs cut off rows
/// longer than they are. Throws InputError for values that no job has.
double links_lost_share(const Job& job, DrawnInputs inputs);
/// Whether the longest row, and the longest column, fit their batches. Throws likewise.
bool rows_fit(const Job& job, DrawnInputs inputs);

/// One epoch of the job with these inputs. Throws InputError for values that no job has.
model::Program program_of(const Job& job, DrawnInputs inputs);

} // namespace alxsim::alx
