// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "workloads/import/hlo/kernels.h"
#include "workloads/import/hlo/live_memory.h"
#include "workloads/import/hlo/sidecar.h"
#include "workloads/import/hlo/text/module.h"
#include "workloads/import/hlo/trip_count.h"
#include "workloads/import/hlo/xla_cost.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// What the user says of a program.
struct AccountOptions {
    GivenTrips trips;
    GivenBranches branches;
    /// Opcodes, targets of custom calls or parts of op_names whose cost the user gives elsewhere:
    /// these are not unmapped.
    std::set<std::string> assumed;
};

/// Instructions that nobody knows the cost of.
struct Unmapped {
    std::string name; ///< an opcode, or the target of custom calls
    std::int64_t count = 0;
    std::string reason;
};

/// Bytes and calls by kind: all_gather, reduce_scatter, all_reduce, all_to_all, permute.
struct CollectiveCounts {
    std::map<std::string, std::int64_t> bytes, calls;
};

/// What moves between the host and a device, callbacks included, with trips.
struct HostTraffic {
    std::int64_t from_host_bytes = 0, to_host_bytes = 0, copies = 0;
};

/// A branch that a conditional is taken to take.
struct TakenBranch {
    std::string conditional;
    std::int64_t branch = 0, branches = 0;
    bool given = false; ///< else it is the dearest
};

/// A kernel (tpu_custom_call) of the program, once for each place where it is called.
struct Kernel {
    std::string name, op_name;
    std::optional<KernelCost> cost; ///< of one call
    std::int64_t calls = 0;         ///< with trips
};

/// What is in a program, counted; of one device, one run.
struct Accounts {
    std::int64_t instructions = 0; ///< of computations that run: mapped + free + those unmapped
    std::int64_t mapped = 0, free = 0;
    std::vector<Unmapped> unmapped;
    std::vector<std::string> assumed; ///< what of AccountOptions::assumed was met
    XlaCost total;                    ///< with trip counts
    XlaCost once;                     ///< bodies of loops once, as XLA has it
    CollectiveCounts collectives;     ///< inside slices, with trips
    CollectiveCounts dcn;             ///< between slices, with trips
    HostTraffic host;
    LiveMemory memory;
    std::int64_t allocated_bytes = 0; ///< by XLA, of NAME.json; 0 without
    std::vector<TripCount> trip_counts;
    std::vector<TakenBranch> branches;
    std::vector<Kernel> kernels;
    /// One sentence for each thing that keeps the program from being timed: unmapped instructions,
    /// loops without a trip count.
    std::vector<std::string> problems;
};

/// Counts. Throws InputError for options that name nothing in the program, and for instructions
/// that do not fit their operands; what is unmapped or unknown stands in `problems`.
Accounts accounts_of(const Module& module, const AccountOptions& options = {},
                     const Sidecar* sidecar = nullptr);

/// Throws InputError with all problems, if there are any, and what may be given for them.
void require_no_problems(const Accounts& accounts, const std::string& file);

/// `import hlo --json` (integers all).
Json to_json(const Accounts& accounts);

} // namespace alxsim::hlo
