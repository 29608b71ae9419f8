// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "topologies/machine.h"
#include "workloads/import/hlo/accounts.h"
#include "workloads/import/hlo/lowering/assumption.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// What the user says of a program.
struct LoweringOptions {
    GivenTrips trips;
    GivenBranches branches;
    /// Assumptions on instructions, by opcodes, targets of custom calls, names of instructions or
    /// parts of op_names; the longest that fits counts.
    std::map<std::string, Assumption> assumed;
};

/// Where an op comes from.
struct OpOrigin {
    std::string instruction; ///< its name in the text
    std::string op_name;     ///< jit(step)/jvp()/dot_general
    std::string source;      ///< "step.py:7"; "" where the text does not say
    bool assumed = false;    ///< its time is given by the user, or its work by a kernel's author
    std::string category;    ///< as XProf's hlo_category (category.h)
};

/// A program as a step of ours, the same on all devices.
struct Lowered {
    /// Its buffers: what enters (arguments), what lives beside it when most does (temporaries),
    /// and marks for what stands in VMEM and host memory, so that memory is that of
    /// Accounts::memory.
    std::shared_ptr<const model::OpGraph> graph;
    std::vector<std::string> phases; ///< in the order in which they begin
    std::vector<std::string> notes;  ///< what was taken how, in sentences
    /// By the op's name: the instruction's, with ".2" behind the second op of one.
    std::map<std::string, OpOrigin> origins;
    Accounts accounts;
    double assumed_share = 0; ///< of the instructions that are mapped
};

/// Lowers a module: synchronous instructions follow each other in the order of the text;
/// what a -start begins (copies between memories, permutes, collectives that an asynchronous fusion
/// carries, calls of another execution thread) begins at its place, and what stands behind its
/// -done waits for it. Loops become repeats, taken branches and calls are written out. `sidecar`
/// may be null: partitions are the devices of the same number, and a note says so.
///
/// A module that is not scheduled is taken in the order of its text, and a note says so.
///
/// Throws InputError with all reasons for a program that holds what nobody knows the time of, and
/// for a machine that has not as many devices as it has partitions.
Lowered lowered(const Module& module, const Sidecar* sidecar, const topologies::Machine& machine,
                const LoweringOptions& options = {});

} // namespace alxsim::hlo
