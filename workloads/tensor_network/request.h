// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "workloads/tensor_network/host_train.h"
#include "workloads/tensor_network/train.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::tensor_network {

enum class StepKind { svd, round, tucker, mera };

/// What a study gives to work on: one of them.
struct Data {
    std::optional<HostTrain> train;
    std::vector<double> tensor; ///< its last leg the fastest
};

/// What a study's /workload/tensor_network asks for.
struct Request {
    StepKind step = StepKind::svd;
    std::string step_name;
    std::vector<std::int64_t> sizes; ///< of the legs
    std::vector<std::int64_t> ranks; ///< [legs + 1]; of a tensor from a file: empty
    std::vector<std::int64_t> kept;  ///< the same after rounding; empty: by tolerance
    std::vector<std::int64_t> tucker_ranks, mera_ranks;
    std::int64_t iterations = 0;
    double tolerance = 0;
    Method method = Method::gramians;
    spmd::EigenMethod eigenvectors;
    int levels = 1;
    bool in_f64 = false;
    int passes = 6;
    std::uint64_t stream = 0;
    std::shared_ptr<const Data> data; ///< null: sizes and ranks alone
    std::string key;                  ///< equal for requests with equal numbers and shapes

    bool starts_with_tensor() const
    {
        return step == StepKind::svd || (data != nullptr && !data->train.has_value());
    }
    std::size_t legs() const { return sizes.size(); }
};

/// Throws InputError.
Request request_of(const Json& study, const std::string& file);

/// The train that a step begins with, or whose tensor it begins with: the data, or random cores.
HostTrain begun_with_train(const Request& request);
/// The tensor that it begins with.
std::vector<double> begun_with_tensor(const Request& request);

/// What sizes alone say of the shapes that data would decide, in the order in which the steps ask.
std::vector<std::int64_t> assumed_decisions(const Request& request);

} // namespace alxsim::tensor_network
