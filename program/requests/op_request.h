// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "experiments/points/trace/trace_request.h"
#include "sim/hbm_model.h"
#include "topologies/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// What `alxsim op` is asked.
struct OpRequest {
    std::string op;
    std::string chip = "tpu_v3";
    std::optional<int> cores; ///< absent: those in the chip's name, else 1
    int slices = 1;
    std::string slice;
    std::string wrap;
    std::string schedule = "xla"; ///< or fastest
    std::vector<std::string> overrides;
    std::vector<std::string> faults; ///< as a study has them, each as JSON
    sim::HbmModel hbm = sim::HbmModel::rates;
    bool json = false;
    std::string output; ///< of the solutions
    TraceRequest trace;
};

/// The machine of its options. Throws InputError, naming the option.
topologies::Machine machine_for(const OpRequest& request);

/// JSON by itself, or a file of it.
struct GivenOps {
    std::string place; ///< how errors name it
    Json json;
};

/// Reads the command's argument. Throws InputError where it is neither JSON nor a file of it.
GivenOps given_ops(const std::string& words);

} // namespace alxsim::program
