// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/workload/job.h"
#include "workloads/workload.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// The links that a job cuts off, in words; nothing: it works on all.
std::optional<workloads::LeftOut> links_cut_off(const Job& job);

/// What should be known of its longest rows and columns: what they are taken to be, and where one
/// of them keeps a half from being shorter.
std::vector<std::string> row_length_notes(const Job& job);

} // namespace alxsim::alx
