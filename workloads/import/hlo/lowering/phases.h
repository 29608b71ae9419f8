// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <string>
#include <string_view>

namespace alxsim::hlo {

/// Under which names the time of a program's instructions is reported.
class Phases {
public:
    explicit Phases(const Module& module);

    /// By an op_name, jit(step)/transpose(jvp())/while/body/dot_general. Of programs that
    /// differentiate: recomputation (rematted_computation), else backward (transpose(jvp())), else
    /// forward (jvp()), else optimizer. Of others: the first named scope, or "program". Without an
    /// op_name: `otherwise`.
    std::string of(std::string_view op_name, const std::string& otherwise) const;
    /// Returns the phase of what stands before the first op_name.
    std::string first() const { return differentiates_ ? "forward" : "program"; }

private:
    bool differentiates_;
};

} // namespace alxsim::hlo
