// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace alxsim::workloads {

/// Where an op of a job comes from, as profilers tell it.
struct OpSource {
    std::string operation; ///< of the user's program: "jit(step)/jvp()/dot_general"; "": not known
    std::string line;      ///< "step.py:7"; "": not known
    std::string category;  ///< "convolution fusion", "all-gather", as XProf's hlo_category
};

/// By the op's name.
using OpSources = std::map<std::string, OpSource>;

/// A Workload that knows where its ops come from is one of these, too.
class HasOpSources {
public:
    virtual ~HasOpSources() = default;
    virtual const OpSources& op_sources() const = 0;
};

} // namespace alxsim::workloads
