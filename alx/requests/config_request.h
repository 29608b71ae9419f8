// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/requests/point_request.h"

namespace alxsim::alx {

/// Whether ids of the data in which no link lies are rows and columns: with semantics `alx`, unless
/// the study's switches say otherwise.
bool counts_unlinked_ids(const WorkloadRequest& workload);

/// Whether its links weigh what their ratings or values say. Throws InputError where the job is the
/// released code.
bool weighs_links(const WorkloadRequest& workload);

/// The algorithm's part of a point. Throws InputError for what does not go together.
AlxConfig config_of(const PointRequest& point);

} // namespace alxsim::alx
