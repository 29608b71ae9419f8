// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/npy.h"
#include "workloads/tensor_network/request.h"
#include "workloads/tensor_network/steps.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::tensor_network {

/// What a step has made, as arrays of its builder.
struct Made {
    std::optional<Train> train;
    std::optional<Tucker> tucker;
    std::optional<Mera> mera;
};

/// Appends all ops of a step. With numbers, what it begins with is dealt first.
Made add_step(Building& building, const Request& request);

/// A step with its numbers, on a mesh of so many devices.
class Computed {
public:
    /// `given`: what was decided before; none: the numbers decide.
    Computed(const Request& request, int devices, HostPool& pool,
             std::optional<std::vector<std::int64_t>> given);

    /// What a report tells of it.
    Json results() const;
    const std::vector<std::int64_t>& decisions() const { return decisions_.taken(); }
    const spmd::MovedCounts& moved() const { return moved_; }
    /// The cores of what it has made, for exports: name, array, shape.
    std::vector<std::pair<std::string, NpyMatrix>> arrays() const;

private:
    Json train_results() const;
    Json tucker_results() const;
    Json mera_results() const;
    double error_of(const HostTrain& result) const;
    HostTrain read_expanded(const Tucker& tucker) const;

    const Request& request_;
    spmd::Numbers numbers_;
    spmd::MovedCounts moved_;
    spmd::StepBuilder step_;
    Decisions decisions_;
    Building building_;
    Made made_;
};

/// A grid of all devices in so many levels, as square as it gets.
spmd::DeviceMesh mesh_of(int devices, int levels);

/// A step as it is timed, and how many numbers it makes of how many.
struct Timed {
    std::shared_ptr<const spmd::TimedStep> step;
    Json storage;
};
Timed timed_step(const Request& request, int devices);

/// The shapes of a step that has data, by its numbers on one device: once for equal requests.
std::vector<std::int64_t> decisions_of(const Request& request);

} // namespace alxsim::tensor_network
