// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/device_mesh.h"
#include "alx/requests/asked_rows.h"
#include "alx/steps/timing_program.h"
#include "alx/training/training.h"
#include "alx/workload/batch_choice.h"
#include "base/json_document.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <memory>
#include <optional>
#include <string>

namespace alxsim::alx {

/// Rates of /workload/alx/input that a study has; the others are assumed.
struct InputGiven {
    bool ids = false;
    bool bytes = false;
};

/// An ALX job on a machine, read from a study's point: real links, or a size to be timed only.
struct Job {
    AlxConfig config;
    std::shared_ptr<const Dataset> data; ///< null: timing only, without links
    std::optional<WorkloadShape> shape;  ///< of a job without links
    BatchChoices batch_choices;          ///< whether the study leaves the batches to us
    bool column_batch_asked = false;     ///< the study has one for the column half
    InputGiven input_given;              ///< what of the hosts' input the study says
    int devices_of_host = 1;             ///< that one host feeds
    DeviceMesh mesh = 1;                 ///< how the devices share the tables
    InitialTables initial;               ///< empty: drawn
    SourceNames names;                   ///< of rows and columns
    AskedRows asked;                     ///< whom to recommend to
    TimingProgram program;        ///< one epoch, for memory, estimates and runs without numerics
    Json description;             ///< the report's `dataset`
    workloads::UsefulWork useful; ///< of an epoch
};

/// Multiplications and additions of an epoch over so many rows, columns and links with dim d: in
/// each half d^2 products and sums of every link's outer product and d of its right side, d^2 of
/// every row's part of the Gramian, and d^3 / 3 + 2 d^2 of every system, as by Cholesky; whatever
/// solver, padding and passes make of it.
double epoch_operations(std::int64_t rows, std::int64_t columns, std::int64_t links, int dim);

/// How exactly a job with links is timed.
enum class JobDetail {
    whole,
    sketch ///< some steps of a half stand for those around them
};

/// Throws InputError: a file that cannot be read, a row that fits no batch, numerics without
/// links, tables that the host has no memory for.
Job job_of(const PointRequest& point, const std::string& file, const topologies::Machine& machine,
           JobDetail detail = JobDetail::whole);

} // namespace alxsim::alx
