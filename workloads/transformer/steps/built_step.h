// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/parameters/parameter_arrays.h"
#include "workloads/transformer/step_tokens.h"

#include <memory>
#include <vector>

namespace alxsim::transformer {

/// A training step: its program, and where its numbers stand.
class BuiltStep {
public:
    virtual ~BuiltStep() = default;

    virtual const spmd::TimedStep& timed() const = 0;
    virtual const Layout& layout() const = 0;
    /// What the next step reads: its tokens, and its number, counted from 1.
    virtual void set_tokens(const StepTokens& tokens) = 0;
    virtual void set_step(int step) = 0;
    /// The mean loss of the last step.
    virtual double loss(const Numbers& numbers) const = 0;
    /// Values of a whole parameter from and to the devices' arrays.
    virtual std::vector<double> read(const Numbers& numbers, const ParameterOf& of,
                                     ParameterArrays::What what) const = 0;
    virtual void write(Numbers& numbers, const ParameterOf& of,
                       const std::vector<double>& whole) const = 0;
    /// What a step leaves for the next.
    virtual std::vector<Array> kept_arrays() const = 0;
};

/// With numbers its ops compute them, and what collectives move is counted in `moved`; both outlive
/// it. Without, for time and memory alone.
std::unique_ptr<BuiltStep> build_step(const TransformerConfig& config, Numbers* numbers = nullptr,
                                      MovedCounts* moved = nullptr);

} // namespace alxsim::transformer
